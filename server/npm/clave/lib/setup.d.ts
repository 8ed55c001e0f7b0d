/** Starts one server for all workers; what it resolves with stops it. */
export default function setup(): Promise<() => Promise<void>>
