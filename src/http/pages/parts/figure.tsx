import type { Child, FC } from "hono/jsx";

/** One number with its name, within `<dl class="figures">`. */
export const Figure: FC<{ name: string; children?: Child }> = ({ name, children }) => (
  <div>
    <dt>{name}</dt>
    <dd class="num">{children}</dd>
  </div>
);
