/** Who looks at a page, as far as the page has to know. */
import type { Identity } from "../auth/identity.ts";
import { mayDo } from "../auth/identity.ts";
import type { AppContext } from "../context.ts";

export interface Viewer {
  /** The name in the corner; null: this machine, where nobody signs in. */
  name: string | null;
  /** May start, cancel, resume and delete. */
  mayWrite: boolean;
  /** May make and revoke tokens. */
  mayAdminister: boolean;
}

/** Null: nobody is signed in, so there is nothing to navigate to. */
export function viewerOf(c: AppContext): Viewer | null {
  // On the way to an error the caller may not be known yet, whatever the type says.
  const caller = c.get("caller") as Identity | undefined;
  if (caller === undefined) return null;
  return {
    name: caller.via === "local" ? null : caller.name,
    mayWrite: mayDo(caller.role, "write"),
    mayAdminister: mayDo(caller.role, "admin"),
  };
}
