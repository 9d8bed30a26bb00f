// Modules that the build makes.
declare module "gallery" {
  const sheets: (import("./workspace/format.js").Workspace & { slug: string })[];
  export default sheets;
}
declare module "spawn" {
  export const spawnWorker: () => Worker;
}
declare module "engine" {
  const init: (options: { module_or_path: URL | BufferSource }) => Promise<void>;
  export default init;
  export const initSync: (options: { module: BufferSource }) => void;
}
