/** A guard of the product: the text that makes it one, and the test that must notice when it is gone. */

export interface Mutant {
  /** What is taken away, in words. */
  guard: string;
  file: string;
  /** Occurs exactly once in the file. */
  text: string;
  /** What stands there instead. */
  without: string;
  /** The vitest project and file, and a part of the test's name. */
  project: "pure" | "worker";
  test: string;
  name: string;
}

export const worker = (
  guard: string,
  file: string,
  text: string,
  without: string,
  test: string,
  name: string,
): Mutant => ({
  guard,
  file,
  text,
  without,
  project: "worker",
  test,
  name,
});

export const pure = (
  guard: string,
  file: string,
  text: string,
  without: string,
  test: string,
  name: string,
): Mutant => ({
  ...worker(guard, file, text, without, test, name),
  project: "pure",
});
