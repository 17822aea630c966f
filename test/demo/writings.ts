/** The pages of the demo shop that are read rather than bought from. */

export interface Writing {
  path: string;
  title: string;
  heading: string;
  description: string;
  /** Empty for the page that is thin on purpose. */
  paragraphs: string[];
  /** More links than the menu has, as [path, words]. */
  links?: [string, string][];
}

const JOURNAL_FOOT =
  "We write these pages in the evenings, when the shop is shut and the kettle is on. They tell what we do ourselves, in a " +
  "garden on heavy clay where spring comes late, and may need a week or two added or taken off where you live. If you " +
  "have found a better way, write to us: half of what stands here began as a letter from a customer who knew better. " +
  "Nothing in the journal is there to sell you anything, though you will notice that we do own the tools that we praise.";

const journal = (
  slug: string,
  title: string,
  description: string,
  text: string,
  links: [string, string][] = [],
): Writing => ({
  path: `/journal/${slug}`,
  title: `${title} | Hollow Oak journal`,
  heading: title,
  description,
  paragraphs: [text, JOURNAL_FOOT],
  links,
});

export const WRITINGS: Writing[] = [
  {
    path: "/about",
    title: "About Hollow Oak, the garden shop with a forge",
    heading: "About us",
    description: "Who we are: two gardeners, one smith and a dog, selling tools that last since nineteen eighty-four.",
    paragraphs: [
      "Hollow Oak began in nineteen eighty-four as a stall on the Saturday market, with six spades, a tray of seedlings and " +
        "a dog under the table. The spades were forged by a neighbour who thought that a tool which cannot be mended is a " +
        "kind of lie. He still works for us, the dog's grandchild still sleeps under the counter, and we still sell " +
        "nothing that we would not use in our own garden.",
      "Today there are two of us in the shop, a smith in the yard behind it and two potters down the lane. We send parcels " +
        "all over the country but we have stayed small on purpose: each order is packed by somebody who knows what is in " +
        "it. Come and see us if you are near. The forge is lit on Thursdays, and if you bring a blunt spade with you it " +
        "goes home sharp, whoever sold it to you, for the price of a cup of tea in the tin beside the door.",
    ],
    links: [
      ["/catalogue", "The printed catalogue"],
      ["/stock-check", "What is in stock today"],
    ],
  },
  {
    path: "/delivery",
    title: "Delivery: when it comes and what it costs",
    heading: "Delivery",
    description: "Parcels leave on Tuesdays and Fridays; pots travel in straw with our own van and arrive unbroken.",
    paragraphs: [
      "Parcels leave the shop on Tuesdays and Fridays. Seeds and gloves go by letter post and are with you on the next day " +
        "or the one after it; tools go by carrier and take two days. Pots are another matter. They travel in crates of " +
        "straw in our own van, which goes north in the first week of the month and south in the third, and the driver " +
        "will ring you the evening before so that you can tell him about the narrow gate and the dog.",
      "Letters cost what the post office asks. Tools cost six pounds however many you order, and nothing at all above a " +
        "hundred. The van costs fifteen pounds for the first crate and five for every one after that, and the driver " +
        "takes the empty crates of your last order back with him. If a pot arrives broken, show him and he will leave " +
        "you another from the spares that he always carries, without any form to be filled in and without an argument.",
    ],
  },
  {
    path: "/returns",
    title: "Returns and mending",
    heading: "Returns and mending",
    description:
      "Send back what you do not like within a month; send us what broke whenever it breaks, and we mend it.",
    paragraphs: [
      "If something is not what you hoped for, send it back within a month and we return the money, used or not. A spade " +
        "has to be dug with before you know whether you like it, so a little earth on the blade is expected. We only " +
        "ask that you wash it off, because the last one who did not sent us a colony of ants along with it, and they " +
        "have been living under the counter ever since.",
      "What breaks comes back to us at any time. Put a note into the parcel that says what happened, since we learn more " +
        "from breakages than from praise. Handles are replaced for the price of the wood, seams are sewn for nothing, " +
        "and a blade that breaks in ordinary work is our fault and not yours. Most repairs leave within a week. In " +
        "spring, when everybody finds the tool that they had put away broken in autumn, it may well be two of them.",
    ],
  },
  {
    path: "/contact",
    title: "How to reach us at Hollow Oak",
    heading: "Contact",
    description: "Write, ring or come by: the shop in Mill Lane is open from Tuesday to Saturday, nine until five.",
    paragraphs: ["Hollow Oak, 4 Mill Lane. Open from Tuesday to Saturday, nine until five. Ring twice."],
  },
  {
    path: "/gift-cards",
    title: "Gift cards for gardeners of every kind",
    heading: "Gift cards",
    description: "A card that buys a spade, a pot or four hundred packets of seed, printed on paper that will grow.",
    paragraphs: [
      "The card is made of paper with seeds in it: once it is spent, tear it up, press it into a pot of earth and keep it " +
        "moist, and it turns into cornflowers. It comes in any amount from five pounds on, has no date at which it " +
        "expires, and is written by hand if you tell us what it should say. We have written four proposals of marriage " +
        "so far, and we are told that three of them were accepted on the spot.",
      "To spend it, send us the number on the back along with your order, or bring it to the shop. What is left stays on " +
        "the card. If you lose it we can usually find it again, because we write each one into a ledger with the name of " +
        "the person who bought it. Gift cards cannot be changed back into money, but they can be changed into anything " +
        "in the shop, the dog and the ledger excepted, and now and then into an afternoon at the forge with our smith.",
    ],
  },
  {
    path: "/journal/",
    title: "The Hollow Oak journal: what we do in our garden",
    heading: "Journal",
    description:
      "Notes from our own garden through the year: sharpening, sowing, composting and much waiting for rain.",
    paragraphs: [
      "A garden is mostly waiting, and while we wait we write. The journal has been kept since the shop had a door: first " +
        "in a school exercise book, later on the backs of packing slips, and for some years now here. It follows the year " +
        "as it comes. In winter it is about tools, in spring about seed, in summer about water, and in autumn about " +
        "leaves, of which we have more than anybody could wish for.",
      "Read the newest first or begin at the other end, where the mistakes are larger and more instructive. The archive " +
        "goes back further than we like to remember. " +
        JOURNAL_FOOT,
    ],
    links: [
      ["/journal/sharpening-a-spade", "Sharpening a spade"],
      ["/journal/sowing-in-march", "Sowing in March"],
      ["/journal/compost", "Compost without a theory"],
      ["/journal/archive", "The archive"],
    ],
  },
  journal(
    "sharpening-a-spade",
    "Sharpening a spade",
    "A file, a vice and ten minutes a season: how to put an edge on a spade, and why a sharp one is safer.",
    "Clamp the blade with its face towards you and look at the edge along its length: what shines is blunt. Take a flat file " +
      "with a handle on it, lay it on the bevel that the smith left and push, always away from you and in one direction, " +
      "lifting it on the way back. After a dozen strokes a burr stands up on the other side. Turn the spade over, take the " +
      "burr off with one light stroke and stop. A spade should cut a root as thick as a finger, not shave you.",
  ),
  journal(
    "sowing-in-march",
    "Sowing in March",
    "What can be sown in March, what had better wait, and how to tell by the weeds when the ground is warm enough.",
    "Every March we sow too early, and every April we sow again. Broad beans, peas and spinach do not mind; carrots and " +
      "beetroot sulk in cold ground and never quite forgive it. Watch the weeds rather than the calendar: when the " +
      "chickweed starts to grow the earth is warm enough for anything hardy. Under glass it is light and not warmth that " +
      "is missing, so sow tomatoes late and keep them short. Nobody ever won a prize for the longest seedling.",
  ),
  journal(
    "compost",
    "Compost without a theory",
    "Throw it on a heap, keep the rain off and wait: the lazy way to compost, with the two mistakes that matter.",
    "There are books about compost that would make a chemist blush. We have kept a heap for thirty years and know two things. " +
      "The first: mix what is wet with what is dry, because grass by itself turns to slime and straw by itself stays straw " +
      "for ever. The second: keep the rain out, with a piece of old carpet if need be. Turn it when you are angry. When it " +
      "smells of woodland it is done, and if it smells of anything else then it wants either air or patience.",
  ),
  journal(
    "winter-pruning",
    "Winter pruning",
    "Apples and pears in the frost: which branches to take, which to leave, and when to put the saw away again.",
    "Prune on a dry day without frost, when you can feel your fingers. Take first what is dead, then what is ill, then what " +
      "crosses; stand back after each cut and have a look from the other side. A pigeon should be able to fly through an " +
      "apple tree without folding its wings. Never take more than a fifth of it in one winter, or the tree will answer " +
      "with a thicket of water shoots in June. Plums and cherries are left until summer, for they bleed.",
  ),
  journal(
    "archive",
    "The archive",
    "Everything that we have ever written about gardens, by year, with the mistakes left in for others to learn from.",
    "Here is everything, or at least everything that we could still read. The exercise books from the eighties were kept in " +
      "the potting shed, where a family of mice had opinions of their own about them, so that whole summers are missing. " +
      "Begin with twenty twenty-four, the wet year, in which we learnt more about slugs than we had wanted to know, and work " +
      "backwards from there if you have the stomach for it. Each year leads to its seasons and each season to its notes.",
    [["/journal/archive/2024", "The year 2024"]],
  ),
  journal(
    "archive/2024",
    "The wet year, 2024",
    "It rained from February to July: what we lost, what we learnt and what grew better than it had any right to.",
    "It began to rain in February and stopped on a Thursday in July. Whatever liked water went mad: the rhubarb had to be cut " +
      "with a saw, and hostas came up in places where nobody had planted any. Whatever did not like it rotted. We lost the " +
      "lavender, two rosemaries and most of our temper. The slugs were counted for one evening and then not again. By " +
      "autumn the water butts had been full for nine months, and we had taken up carving wooden spoons indoors.",
    [["/journal/archive/2024/autumn", "Autumn of 2024"]],
  ),
  journal(
    "archive/2024/autumn",
    "Autumn of 2024",
    "Leaves by the cartload, the last tomatoes in November, and a plan for the water that we should have had in spring.",
    "After all that water the trees had more leaves on them than in any year that we remember, and in October all of them came " +
      "down within one week. We raked, then we swept, then we gave up and let the wind do it. The tomatoes under glass went " +
      "on until the middle of November and were made into soup, green as they were. A trench was dug along the low side " +
      "of the garden, which has of course not seen a drop of water from that day on to this one.",
    [["/journal/archive/2024/autumn/leaf-mould", "Leaf mould"]],
  ),
  journal(
    "archive/2024/autumn/leaf-mould",
    "Leaf mould, the slow gold",
    "Two years in a wire cage turn leaves into the best potting soil there is; here is how to build the cage.",
    "Four posts, some chicken wire and a spot where nobody needs to walk: that is all it takes. Fill the cage with wet leaves, " +
      "tread them down, fill it up again, and forget about it until the winter after next. Oak and beech are best, plane " +
      "and chestnut take a year longer, and holly never gives in. What you get is dark, crumbling and sweet, holds water " +
      "like a sponge, and costs nothing but the patience that most of us do not have. Label the cage with its year.",
    [["/journal/archive/2024/autumn/leaf-mould/two-years-later", "Two years later"]],
  ),
  journal(
    "archive/2024/autumn/leaf-mould/two-years-later",
    "Leaf mould, two years later",
    "We opened the cage: what had become of eleven cartloads of oak leaves, and what grew in them afterwards.",
    "Eleven cartloads went in, and what came out filled four barrows: that is the rate of exchange. Under a skin of dry leaves " +
      "the mould was black and full of worms, and warm to the hand although there was frost on the wire. We sieved it for " +
      "seedlings and used the rest as a blanket for the ferns. Everything that was sown in it came up, which proves nothing, " +
      "since the seed was ours as well. The cage has been filled again, and we have promised not to look inside.",
  ),
];
