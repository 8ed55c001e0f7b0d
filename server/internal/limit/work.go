package limit

// work has the limits of the processors' time.
var work = []Limit{
	{
		What: "queries that read more than 64 keys", Key: byNetwork, Operators: true,
		All:     "as many at a time as processors but one; networks take turns of 1,024 keys",
		Network: "512 waiting",
		Excess:  Waits, Error: unavailable, At: []string{"app.newApp", "limit/fair.Turn.Step", "limit/fair.Options", "limit/fair.mostBegun", "database/authz.Authorizer.within"},
	},
	{
		What: "evaluations of rules that take more than about 0.3 ms, in reads, live queries and commits", Key: byNetwork, Operators: true,
		All:    "the same turns: 4 µs of an evaluation count as a key",
		Excess: Waits, Error: unavailable, At: []string{"database/authz.waitForTurn", "database/authz.mostLocked"},
	},
	{
		What: "repetitions of a commit because documents change while its rules wait for a turn", Key: byRequest,
		All: "5", Excess: Refuses, Error: "ABORTED", At: []string{"database/engine.maxPrepared"},
	},
	{
		What: "passwords that are hashed at once", Key: "all clients, and each IPv4 address or IPv6 /48",
		All: "half of the processors; clients take turns", Network: "32 waiting", Excess: Waits, Error: tooMany,
		At: []string{"auth/service/hasher.New", "auth/service.maxHashesWaiting", "limit/fair.Queue.Do", "auth/service/limits.Client.Queue"},
	},
	{
		What: "documents written without a signed-in user", Key: "each network",
		Network: "as many a minute as the flag says, with bursts of twice as many", Excess: Refuses, Error: exhausted, Flag: "--anonymous-writes",
		At: []string{"cluster/stack.Stack.OpenAuthorizer", "database/authz.Authorizer.limitWrites"},
	},
}

// database has the limits of transactions and live queries.
var database = []Limit{
	{
		What: "open transactions of callers to whom rules apply", Key: "each database, and each user or network",
		All: "10,000, and 500 of one user, or of one network without a user; the one that is idle the longest is ended", Excess: Displaces, Error: "INVALID_ARGUMENT at its next use",
		At: []string{"database/engine.MaxOptimistic", "database/engine.MaxPerClient", "database/engine.clientTable.room"},
	},
	{
		What: "time of a transaction: for one lock, without a call, and as a whole", Key: byRequest,
		All: "20 s, 60 s and 270 s", Excess: Ends, Error: "ABORTED", At: []string{"database/engine.Options"},
	},
	{
		What: "queries of a transaction that may write", Key: "each transaction", All: "1,000", Excess: Refuses, Error: exhausted, At: []string{"database/engine.maxQueries"},
	},
	{
		What: "targets of one stream", Key: byStream,
		All: "5,000", Excess: Refuses, Error: exhausted, At: []string{"database/listen.Options"},
	},
	{
		What: "results of one page of a list of documents, collections or partitions", Key: byRequest,
		All: "1,000, 1,000 and 10,000", Excess: Refuses, Error: "none: a token for the next page",
		At: []string{"database/api.maxPage", "database/engine.maxPage", "database/api.maxCollectionIDs", "database/api.maxPartitions"},
	},
	{
		What: "writes and bytes of one commit", Key: byRequest,
		All: "500 of one BatchWrite, and 29,650,000 bytes", Excess: Refuses, Error: invalid, At: []string{"database/engine.maxWrites", "database/engine.maxCommitBytes"},
	},
}
