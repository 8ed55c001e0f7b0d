/** Starts one server for all workers. It resolves with a function that stops the server. */
export default function setup(): Promise<() => Promise<void>>
