// Package bench holds workloads with figures that are kept (figures.md). The engine's benchmarks run in process over a
// store on disk, so that every commit is synced:
//
//	go test ./server/test/bench -run '^$' -bench 'Engine' -benchtime 2s
//
// Sizes above 100 k documents run with CLAVE_BENCH_LARGE=1. The comparison beside the official emulator over gRPC runs
// with CLAVE_BENCH_EMULATOR=1 (TestBesideTheEmulator); it needs Java and the emulator's jar. The costs of live queries
// run with CLAVE_BENCH_LISTEN=1 (TestFanOut); a long run is e2e's soak test (make soak).
//
// The cost of a call over gRPC, REST and WebChannel, with and without TLS, beside bare servers, is logged with
// CLAVE_BENCH_COST=1 (TestCostOfACall); for a create, a get and a query with the program's allocations by
// TestCostByTransport, and as a signed-in user beside the owner by TestCostOfAUser.
//
// Creates on three nodes beside the embedded store, and the cost of a new node, are logged with CLAVE_BENCH_NODES=1
// (TestOnNodes); it needs PostgreSQL.
//
// The costs of queries and the memory with growing data are logged with CLAVE_BENCH_GROWTH=1 (TestGrowth), up to a
// million documents with CLAVE_BENCH_LARGE=1 too.
//
// What a backup writes after a change of one percent (TestIncrementalBackup), and how long creates take while documents
// expire (TestExpiryBesideWriters), are logged for small data; CLAVE_BENCH_BACKUP and CLAVE_BENCH_EXPIRED are the
// sizes.
package bench
