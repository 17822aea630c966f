/** What the demo shop sells: its shelves and the goods on them, with enough words that no page is thin by accident. */

export interface Good {
  slug: string;
  name: string;
  price: string;
  /** What only this page says. */
  about: string;
}

export interface Shelf {
  slug: string;
  name: string;
  /** What every good of the shelf has in common. */
  common: string;
  goods: Good[];
}

export const SHELVES: Shelf[] = [
  {
    slug: "spades",
    name: "Spades and forks",
    common:
      "Every tool on this shelf is forged from one piece of carbon steel and hardened at the edge only, so that it " +
      "takes a blow without chipping. The handle is ash, split along the grain and oiled twice before it leaves the " +
      "workshop, and it can be replaced with nothing more than a hammer and a rivet. Wipe the blade dry after use, " +
      "draw a file along the edge once a season, and rub the wood with linseed oil when it looks pale. Kept like " +
      "that, a tool will outlive the person who bought it, which is why we give no date at which our promise ends: " +
      "if the steel breaks in ordinary digging, send it back and we will forge you another one.",
    goods: [
      {
        slug: "long-handled-spade",
        name: "Long-handled spade",
        price: "£64",
        about:
          "A spade for people who would rather not stoop. The handle is a hand's breadth longer than the usual one " +
          "and the blade a little narrower, which moves less earth with each cut but lets you dig a trench the whole " +
          "afternoon without feeling it in your back the next morning.",
      },
      {
        slug: "transplanting-spade",
        name: "Transplanting spade",
        price: "£48",
        about:
          "Narrow, slightly dished and sharp on three sides. It lifts a young shrub with its root ball whole, slips " +
          "between perennials without hurting their neighbours, and cuts a clean edge along a lawn when nothing better " +
          "is at hand. Gardeners with heavy clay call it the only one that they ever use.",
      },
      {
        slug: "border-fork",
        name: "Border fork",
        price: "£52",
        about:
          "Four square tines, set close enough to lift potatoes without spearing them. It is lighter than a digging " +
          "fork and made for borders that were dug over long ago, where the work is loosening and weeding rather " +
          "than breaking new ground. The hilt is wide enough for a gloved hand.",
      },
    ],
  },
  {
    slug: "pots",
    name: "Pots",
    common:
      "Our pots are thrown and fired by two potters in the same village as the shop, from a red clay that is dug a " +
      "mile away. It is fired hotter than most, at eleven hundred degrees, so that the wall drinks little water and " +
      "stands through a hard winter out of doors. Small differences in colour come from the place in the kiln and are " +
      "not faults. Set the pot on feet, so that water can leave through the hole, put a shard over it before you fill " +
      "in the compost, and water from above until it runs out below. A white bloom of lime after some months is the " +
      "sign that the clay breathes as it should; a stiff brush and rain water take it off again.",
    goods: [
      {
        slug: "terracotta-large",
        name: "Terracotta pot, large",
        price: "£38",
        about:
          "Forty centimetres across and as tall, with a rolled rim that is easy to grip by two people. It holds a bay " +
          "tree, a young olive or three tomato plants, and it is heavy enough that the wind does not turn it over. We " +
          "deliver it in a crate of straw which makes a good mulch afterwards.",
      },
      {
        slug: "terracotta-small",
        name: "Terracotta pot, small",
        price: "£9",
        about:
          "The pot for a window sill: twelve centimetres across, sold in sets of three with their saucers. Herbs like it " +
          "because it dries evenly, auriculas look well in it, and it stacks without chipping. The saucers are glazed on " +
          "the inside, so that a wooden sill stays dry under them.",
      },
      {
        slug: "glazed-blue",
        name: "Blue glazed pot",
        price: "£44",
        about:
          "Dipped by hand in a cobalt glaze that runs a little and pools at the foot, so that no two are alike. Because " +
          "the glaze seals the wall it needs less water than its plain sisters; ferns and hostas in a shady court " +
          "are happy in it. Not for standing in ice, since a glaze can craze.",
      },
    ],
  },
  {
    slug: "seeds",
    name: "Seeds",
    common:
      "We grow our seed ourselves or buy it from growers whom we have visited, and we test every batch on damp paper " +
      "before it goes into its packet. The year of harvest and the share that came up in the test are printed on the " +
      "back, which few seedsmen dare to do. Keep packets cool and dry until you need them, in a tin rather than in the " +
      "shed. Sow thinly: the commonest reason for poor plants is that there were too many of them. Cover the seed with " +
      "its own thickness of fine earth, keep it moist but never wet, and give the seedlings light as soon as they show. " +
      "Should nothing come up although you did all that, write to us with the number of the packet and we send another.",
    goods: [
      {
        slug: "sweet-pea",
        name: "Sweet pea, Matucana",
        price: "£2.80",
        about:
          "The oldest sweet pea in trade and still the most fragrant: maroon above and violet below, two flowers on a " +
          "stem, from June until you forget to pick them. Soak the seed overnight, sow two in a deep pot in October or " +
          "in March, and give the plants something to climb that is taller than you are.",
      },
      {
        slug: "foxglove",
        name: "Foxglove, apricot",
        price: "£2.40",
        about:
          "A foxglove the colour of ripe apricots, for the half shade under trees where little else will flower. It makes " +
          "leaves in the first year and spires in the second, then sows itself wherever it pleases. All of the plant is " +
          "poisonous, so wear gloves and plant it where no child picks flowers.",
      },
      {
        slug: "nasturtium",
        name: "Nasturtium, Empress of India",
        price: "£1.90",
        about:
          "Scarlet flowers over leaves so dark that they look blue. Push the seeds into poor soil with a finger in late " +
          "April and leave them alone, since rich ground gives leaves instead of flowers. Flowers and leaves are good in " +
          "a salad, and the green seeds can be pickled like capers.",
      },
    ],
  },
  {
    slug: "gloves",
    name: "Gloves",
    common:
      "A glove is only worth wearing if you forget that you have it on. Ours are cut in nine sizes, from a child's to a " +
      "hand like a shovel, and sewn with the seam on the outside, where it cannot rub. Lay your hand on the ruler " +
      "printed on the packing slip to find your size, and send them back within a month if we read it wrongly. Let wet " +
      "gloves dry slowly away from the stove, work them soft between your hands before you put them on again, and they " +
      "will take on the shape of your fingers. A split seam is mended free of charge for as long as the palm lasts, and " +
      "the thread that we use for it is sold by the reel to those who would rather do it at home in an evening.",
    goods: [
      {
        slug: "leather",
        name: "Leather gloves",
        price: "£29",
        about:
          "Goatskin, which stays supple when it has been wet, with a second layer over the fingertips and a cuff long " +
          "enough to keep earth out. They turn bramble and hawthorn; a climbing rose in a temper may still win. Dyed " +
          "with oak bark, so that sweat does not bring the colour out on your hands.",
      },
      {
        slug: "cotton",
        name: "Cotton gloves",
        price: "£8",
        about:
          "Thin, cool and washable, for potting up and pricking out, where you need to feel what you touch. The palm " +
          "has a film of natural rubber that grips a wet pot. Sold in threes, because one of a pair is always the first " +
          "to go missing, and it is never the one that you expect.",
      },
    ],
  },
];
