// Package torture kills, cuts off, fills and damages the built program under load, and checks what it finds afterwards against a
// ledger that is kept outside of it. It has tests only; `make torture ROUNDS=n` runs them for long.
//
// A round starts the program on the folder of the round before, runs concurrent clients, ends the program in the midst of it, starts it
// again and checks:
//
//   - Every acknowledged commit is there, none that was refused is, and of a batch all or nothing.
//   - The histories of one and of four documents are strictly serializable (porcupine), those before and after the end together.
//   - Sums of transfers, pairs, unique names and numbers of seats are right, within snapshots and in the end.
//   - Reads of the past return what was there.
//   - Queries by an index and by name return the same documents.
//   - A listener that lives through all of it has the documents of a query.
//
// Events that the program delivers to a service are checked while both are killed at random: each commit's event must arrive, those
// of a document in order.
//
// Power cuts are simulated: where root allows, the folder lies on a file system of its own, and the device under it is copied while
// the program stands still. The copy has what the kernel has written to the device and nothing that it holds back, so a
// missing fsync shows; that a device reorders or tears what it was given does not. The tests of storage/pebblestore and engine cover lost and
// half-written data with a file system in memory.
//
// Three nodes on one PostgreSQL are tested likewise (TestFaults), with a TCP link of its own between each two of clients, nodes and
// PostgreSQL: nodes are killed and stopped, links cut in one or both directions and slowed, PostgreSQL is restarted and its standby promoted,
// and disks are full. Besides the above these are checked:
//
//   - Clients meet no errors but UNAVAILABLE, ABORTED and their own deadlines, and none of the first and last before a fault or later than
//     five seconds after it.
//   - A listener that continues at another node every few seconds, by its resume tokens, sees each acknowledged document in the first
//     snapshot of its time or later, never goes back, and has the right sum of all accounts in every snapshot.
//
// The machines' clocks are not shifted here: the tests of storage/pgstore have wrong ones.
//
// The checks prove themselves on a program that forgets: its folder, or PostgreSQL's database, is rolled back to an earlier copy between
// two starts.
package torture
