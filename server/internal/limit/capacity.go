package limit

// connections has the limits of connections, calls and streams.
var connections = []Limit{
	{
		What: "connections", Key: byNetwork, Operators: true,
		All:     "M / 256 KiB, at least 256, and at most three quarters of the open files (`LimitNOFILE`): 4,096 with 1 GiB",
		Network: "a quarter; behind `--trust-proxy` all, because they are the proxy's",
		Excess:  Displaces, Error: closed, Flag: memoryFlag + ", --trust-proxy", At: []string{"app.newApp", "limit/heap.PlanFor", "limit/slots.Slots.Conn"},
	},
	{
		What: "live queries and write streams, over gRPC and WebChannel", Key: byNetwork, Operators: true,
		All: "M / 256 KiB, at least 256", Network: "a quarter",
		Excess: Displaces, Error: unavailable, Flag: memoryFlag, At: []string{"app.newApp", "limit/heap.PlanFor", "limit/heap.developmentSlots", "transport/grpc.common.stream", "transport/webchannel.Handler.handshake"},
	},
	{
		What: "HTTP requests that are being answered, except back channels of WebChannel", Key: byNetwork, Operators: true,
		All: "at most 4,096", Network: "a quarter",
		Excess: Displaces, Error: "503", Flag: memoryFlag, At: []string{"app.newApp", "limit/heap.mostResponses", "transport/port.Port.bound"},
	},
	{
		What: "calls of gRPC, with or without a message", Key: byNetwork, Operators: true,
		All: "M / 128 KiB, at least 256: 8,192 with 1 GiB", Network: "a quarter",
		Excess: Displaces, Error: unavailable, Flag: memoryFlag, At: []string{"app.newApp", "limit/heap.PlanFor", "transport/grpc.common.admit"},
	},
	{
		What: "calls of gRPC on one connection", Key: byConnection, Operators: true,
		All:    "as many as its network may have; a client is refused and never waits for a free place",
		Excess: Refuses, Error: unavailable, At: []string{"transport/grpc.MaxStreams"},
	},
	{
		What: "calls of gRPC that were refused on one connection", Key: byConnection,
		All: "1,000", Excess: Ends, Error: closed, At: []string{"transport/grpc.mostRefused"},
	},
	{
		What: "requests of other clients on one HTTP/2 connection, such as a browser's; further ones wait in the client. gRPC clients that also offer HTTP/1.1 (none of Google's do) are such clients",
		Key:  byConnection, Operators: true,
		All: "1,000", Excess: Waits, Error: "none", At: []string{"transport/port.maxRequests"},
	},
	{
		What: "sessions of WebChannel of a handler, beside the limit of streams", Key: byAll,
		All: "20,000", Excess: Refuses, Error: "503", At: []string{"transport/webchannel.Options"},
	},
	{
		What: "websockets of the emulator's monitor of requests", Key: byNetwork,
		All: "64", Network: "a quarter", Excess: Displaces, Error: "503", At: []string{"app.newWatcherSlots", "suite/control.MaxWatchers"},
	},
	{
		What: "connections of the ports of the console, the metrics and the monitor of requests", Key: byPort,
		All: "512", Network: "a quarter", Excess: Displaces, Error: closed, At: []string{"app.ownSlots", "app.maxOwn"},
	},
	{
		What: "TLS handshakes of other nodes", Key: byNetwork,
		All: "512", Network: "a quarter", Excess: Displaces, Error: closed, At: []string{"cluster/forward.newHandshakes", "cluster/forward.maxHandshakes"},
	},
}

// memory has the limits of memory.
var memory = []Limit{
	{
		What: "files that Hosting has served and keeps, and one of them", Key: byAll, All: "128 MiB for the site of a folder or all deployed versions, and 8 MiB", Excess: Displaces, Error: "none: the file is read again",
		At: []string{"transport/hosting.maxCached", "transport/hosting.maxKept", "transport/hosting/versions.maxCached"},
	},
	{
		What: "bytes of requests and of responses that clients do not read", Key: byAll, Operators: true,
		All:    "an eighth of the memory, 40 to 64 MiB; the slowest clients are ended first",
		Excess: Waits, Error: unavailable, Flag: memoryFlag,
		At: []string{"app.newApp", "limit/heap.mostRequests", "limit/receive.Hold.Take", "limit/receive.Budget.evictLocked", "limit/receive.small"},
	},
	{
		What: "large responses that wait for these bytes", Key: byAll,
		All: "4", Excess: Waits, Error: unavailable, At: []string{"limit/receive.mostWaiting", "limit/receive.Budget.AwaitRoom"},
	},
	{
		What: "reads whose responses have not taken these bytes yet", Key: byAll,
		All: "64", Excess: Waits, Error: unavailable, At: []string{"limit/receive.mostReads", "limit/receive.Budget.BeginRead"},
	},
	{
		What: "memory of requests of more than 64 KiB that are parsed and answered", Key: byNetwork, Operators: true,
		All: "as much again; networks take turns", Network: "half, or one large request",
		Excess: Waits, Error: "CANCELLED or DEADLINE_EXCEEDED when the call ends", Flag: memoryFlag, At: []string{"app.newApp", "admin.New", "auth/api.New", "console.Options", "limit/parse.New", "limit/quota.Share.Wait", "limit/parse.Large"},
	},
	{
		What: "targets of live queries of callers to whom rules apply: 1 KiB each, and three times the size of the query", Key: byNetwork, Operators: true,
		All: "M / 8", Network: "a quarter",
		Excess: Refuses, Error: exhausted, Flag: memoryFlag, At: []string{"cluster/stack.Stack.OpenAuthorizer", "database/authz.newHoldings", "limit/quota.Share.Take"},
	},
	{
		What: "results that are sorted in memory, the nearest documents of vector searches, and changes since the time of a read in the past", Key: byNetwork, Operators: true,
		All: "M / 8", Network: "half",
		Excess: Refuses, Error: exhausted, Flag: memoryFlag, At: []string{"limit/heap.Plan", "database/engine.Open", "database/engine/memory.New", "limit/quota.Share.Take"},
	},
	{
		What: "documents that are kept for live queries with a limit", Key: byAll,
		All: "M / 8; beyond it a stream with more than an equal share", Excess: Refuses, Error: exhausted, Flag: memoryFlag,
		At: []string{"limit/heap.Plan", "database/listen.Stream.checkWindows"},
	},
	{
		What: "changed documents that wait for a client of a live query", Key: byStream,
		All: "4,096 and 16 MiB, and 8 MiB of all clients", Excess: Ends, Error: "its targets are reset and read again", At: []string{"database/listen.Options"},
	},
	{
		What: "first results of live queries that are kept for further clients and being sent", Key: byDatabase,
		All: "1 MiB each, 32 MiB together, 2 MiB being sent", Excess: Waits, Error: "none", At: []string{"database/listen.maxFirst", "database/listen.maxFirsts", "database/listen.collected"},
	},
	{
		What: "commands of a client that wait for its live queries", Key: byStream,
		All: "1,024", Excess: Waits, Error: "none", At: []string{"database/listen.maxCommands"},
	},
	{
		What: "bytes of messages of gRPC streams for which clients have no room", Key: byAll,
		All: "4 MiB; beyond them a message or 16 KiB each", Excess: Waits, Error: "none", At: []string{"transport/grpc.crowded", "transport/grpc.mostQueued"},
	},
	{
		What: "bytes that clients of WebChannel have not acknowledged or that wait for their streams", Key: byAll,
		All: "an eighth of the memory, 40 to 64 MiB, and 1 MiB of one client (32 KiB beyond a thirty-second of all)", Excess: Ends, Error: "the session with the most is ended",
		At: []string{"transport/webchannel.Options", "cluster/stack.Stack.openCalls", "transport/webchannel.Handler.limitHeld", "transport/webchannel.Handler.maxUnacked"},
	},
	{
		What: "requests of a WebChannel session that wait for an earlier one", Key: byStream,
		All: "32", Excess: Refuses, Error: "503", At: []string{"transport/webchannel.maxEarly"},
	},
	{
		What: "requests at a follower that wait for a leader", Key: byNetwork,
		All: "2,000, and 32 MiB; each counts as at least 16 KiB", Network: "half", Excess: Refuses, Error: unavailable, At: []string{"cluster/forward.maxWaiting", "cluster/forward.maxWaitingBytes", "cluster/forward.newWaiters", "limit/quota.Share.Take"},
	},
}
