/** How the crawler introduces itself: a product token for robots.txt, and a page that says who asks and why. */
export const PRODUCT_TOKEN = "PulseAudit";
export const USER_AGENT = `Mozilla/5.0 (compatible; ${PRODUCT_TOKEN}/1.0; +https://github.com/pulse-audit/pulse-audit#the-crawler)`;
