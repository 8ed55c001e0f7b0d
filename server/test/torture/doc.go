// Package torture runs the built program under load with kills, power cuts, full disks, network faults and damaged
// files, and compares its data with a ledger that is kept outside of the program. It has tests only; `make torture
// ROUNDS=n` runs them for long.
//
// A round starts the program on the folder of the previous round, runs concurrent clients, ends the program under load,
// restarts it and checks:
//
//   - Every acknowledged commit is present, no refused one is, and each batch is present completely or not at all.
//   - The histories of one and of four documents are strictly serializable (porcupine), across the end of the program.
//   - Sums of transfers, pairs, unique names and numbers of seats are correct, within snapshots and at the end.
//   - Reads of past versions return the state of that time.
//   - Queries by an index and by name return the same documents.
//   - A listener that lasts for all rounds has the documents of its query.
//
// The delivery of events to a service is checked while both are killed at random: the event of each commit must arrive,
// and the events of a document in order.
//
// Power cuts are simulated if the test runs as root: the folder is on its own file system, and the device under it is
// copied while the program is suspended. The copy has only the data that the kernel has written to the device, so a
// missing fsync is detected. Reordered and torn writes of a device are not simulated. The tests of store/pebble
// and engine cover lost and half-written data with a file system in memory.
//
// The program is also killed while it imports accounts, deletes a database, and adds or removes indexes at its start,
// and so are the commands that import, restore and export. Each must be complete, absent, or completed by the same
// request.
//
// Each file of a data folder is damaged in turn (TestDamagedFiles). The program must refuse to start with one line, or
// serve correct data and refuse the rest.
//
// Three nodes on one PostgreSQL are tested in the same way (TestFaults). Each pair of clients, nodes and PostgreSQL is
// connected by its own TCP link. Nodes are killed and suspended, links are cut in one or both directions and slowed,
// PostgreSQL is restarted and its standby promoted, and disks are filled. Further checks:
//
//   - Clients receive only UNAVAILABLE, ABORTED and exceeded deadlines, and UNAVAILABLE and exceeded deadlines only
//     from the beginning of a fault until five seconds after it.
//   - A listener that continues at another node every few seconds, with its resume tokens, receives each acknowledged
//     document in the first snapshot at or after its commit, never an older state, and the correct sum of all accounts
//     in every snapshot.
//
// PostgreSQL itself is tested with Patroni (TestPatroni): its primary is lost or cut off while it has commits that no
// synchronous standby has, and comes back by pg_rewind.
//
// A soak (TestKeepSoak) serves mixed load for as long as CLAVE_TORTURE_SOAK says, with a history, backups, trial
// restores, the shipped log and a TTL policy: memory is bounded and nothing is late.
//
// The server is also killed and loses its data folder while it ships its log (TestRecoveryPoint). The state at the time
// up to which its metric says that everything is shipped must have each commit that was acknowledged until then.
//
// The machines' clocks are not shifted here; the tests of store/postgres do so.
//
// The checks themselves are tested on a program that loses commits: its folder, or PostgreSQL's database, is rolled
// back to an earlier copy between two starts.
package torture
