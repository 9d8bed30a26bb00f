// Modules that the build makes.
declare module "gallery" {
  const sheets: (import("./workspace/format.js").Workspace & { slug: string })[];
  export default sheets;
}
declare module "worker-script" {
  const script: string;
  export default script;
}
declare module "page-style" {
  const style: string;
  export default style;
}
declare module "spawn" {
  export const spawnWorker: () => Worker;
}
declare module "engine" {
  export const initSync: (options: { module: BufferSource | WebAssembly.Module }) => void;
  /** The first part of the engine got a question that only the whole answers. */
  export class NotLoaded extends Error {}
}
