/**
 * What Google requires of structured data before it can show a rich result:
 * https://developers.google.com/search/docs/appearance/structured-data/search-gallery, one page a type.
 * Only required properties; a recommended one that is absent is no fault.
 */

/** A property, or several of which one is enough ("offers|review|aggregateRating"). */
export interface RichResult {
  /** Name of the rich result, as Google calls it. */
  name: string;
  /** schema.org types that can become it. */
  types: readonly string[];
  required: readonly string[];
  /** Required of the objects behind a property, where it is there. */
  within?: Readonly<Record<string, readonly string[]>>;
  /** The page of the documents that says so. */
  source: string;
}

const PAGE = "https://developers.google.com/search/docs/appearance/structured-data/";

export const RICH_RESULTS: readonly RichResult[] = [
  {
    name: "Product snippet",
    types: ["Product", "ProductGroup"],
    required: ["name", "offers|review|aggregateRating|hasVariant"],
    within: {
      aggregateRating: ["ratingValue", "ratingCount|reviewCount"],
      offers: ["price|lowPrice|priceSpecification"],
    },
    source: `${PAGE}product-snippet`,
  },
  {
    name: "Review snippet",
    types: ["Review"],
    required: ["author", "reviewRating"],
    within: { reviewRating: ["ratingValue"] },
    source: `${PAGE}review-snippet`,
  },
  {
    name: "Breadcrumb",
    types: ["BreadcrumbList"],
    required: ["itemListElement"],
    within: { itemListElement: ["position", "name|item"] },
    source: `${PAGE}breadcrumb`,
  },
  {
    name: "Recipe",
    types: ["Recipe"],
    required: ["name", "image"],
    within: { aggregateRating: ["ratingValue", "ratingCount|reviewCount"] },
    source: `${PAGE}recipe`,
  },
  {
    name: "Event",
    types: [
      "Event", "MusicEvent", "SportsEvent", "TheaterEvent", "Festival", "ComedyEvent", "DanceEvent", "EducationEvent",
      "ExhibitionEvent", "FoodEvent", "LiteraryEvent", "ScreeningEvent", "VisualArtsEvent", "ChildrensEvent",
      "BusinessEvent", "SocialEvent", "SaleEvent",
    ], // prettier-ignore
    required: ["name", "startDate", "location"],
    source: `${PAGE}event`,
  },
  {
    name: "Job posting",
    types: ["JobPosting"],
    required: ["title", "description", "datePosted", "hiringOrganization", "jobLocation|jobLocationType"],
    source: `${PAGE}job-posting`,
  },
  {
    name: "Local business",
    types: ["LocalBusiness", "Restaurant", "Store", "Hotel", "Dentist", "AutoRepair", "BarOrPub", "CafeOrCoffeeShop"],
    required: ["name", "address"],
    source: `${PAGE}local-business`,
  },
  {
    name: "FAQ",
    types: ["FAQPage"],
    required: ["mainEntity"],
    within: { mainEntity: ["name", "acceptedAnswer"] },
    source: `${PAGE}faqpage`,
  },
  {
    name: "Q&A",
    types: ["QAPage"],
    required: ["mainEntity"],
    within: { mainEntity: ["name|text", "answerCount", "acceptedAnswer|suggestedAnswer"] },
    source: `${PAGE}qapage`,
  },
  {
    name: "Video",
    types: ["VideoObject"],
    required: ["name", "thumbnailUrl", "uploadDate"],
    source: `${PAGE}video`,
  },
  {
    name: "Software app",
    types: ["SoftwareApplication", "MobileApplication", "WebApplication", "VideoGame"],
    required: ["name", "offers", "aggregateRating|review"],
    within: { aggregateRating: ["ratingValue", "ratingCount|reviewCount"] },
    source: `${PAGE}software-app`,
  },
  {
    name: "Course list",
    types: ["Course"],
    required: ["name", "description"],
    source: `${PAGE}course`,
  },
  {
    name: "Dataset",
    types: ["Dataset"],
    required: ["name", "description"],
    source: `${PAGE}dataset`,
  },
];
