package limit

// rateLimits is the flag that switches the rates of accounts on; production always has them.
const rateLimits = "--rate-limits"

// accounts has the limits of accounts. Administrators are exempt from the rates.
var accounts = []Limit{
	{
		What: "sign-ins; new accounts; requests for codes; second factors; changes of passwords", Key: "each network, and each IPv6 /48 and /32",
		Network: "60, and 30 a minute; 100, and 100 an hour; 30, and 150 an hour; 60, and 30 a minute; 30, and 30 a minute; a /48 eight times as many, a /32 64 times",
		Excess:  Refuses, Error: tooMany, Flag: rateLimits, At: []string{"auth/service/limits.New", "auth/service/limits.byAddress", "auth/service/limits.Limits.Take"},
	},
	{
		What: "codes to one mailbox or phone", Key: "each mailbox or phone",
		All: "5, and 12 an hour", Excess: Refuses, Error: tooMany, Flag: rateLimits, At: []string{"auth/service/limits.byRecipient"},
	},
	{
		What: "wrong passwords of one account", Key: "each account, and each network of it",
		All: "50, and 30 an hour from all networks from which its owner has not signed in", Network: "10, and 2 a minute",
		Excess: Refuses, Error: tooMany, Flag: rateLimits, At: []string{"auth/service/limits.guessesThere", "auth/service/limits.guessesElsewhere"},
	},
	{
		What: "wrong codes of six digits", Key: "each account or phone, and each network",
		All: "10, and 4 an hour from networks of its owner; 10, and one an hour from others", Network: "30, and 12 an hour for all accounts",
		Excess: Refuses, Error: tooMany, Flag: rateLimits, At: []string{"auth/service/limits.codesThere", "auth/service/limits.codesElsewhere", "auth/service/limits.wrongCodes"},
	},
	{
		What: "attempts at one code that was sent by text message", Key: "each code",
		All: "5", Excess: Refuses, Error: "SESSION_EXPIRED", At: []string{"auth/service/sms.maxTries"},
	},
	{
		What: "size and tags of a SAML response, and claims or attributes of a provider that become part of ID tokens", Key: "each response",
		All: "256 KiB, 5,000 and 32 KiB", Excess: Refuses, Error: "INVALID_IDP_RESPONSE",
		At: []string{"auth/provider.longestSAMLResponse", "auth/provider.maxSAMLTags", "auth/provider.longestClaims"},
	},
	{
		What: "buckets that the rates keep", Key: byAll,
		All: "100,000 of networks and as many of accounts; the fullest is dropped first", Excess: Displaces, Error: "none", At: []string{"limit/rate.Options", "limit/rate.Limiter.bucketLocked", "limit/rate.Limiter.evictLocked"},
	},
	{
		What: "one-time codes that wait to be sent by e-mail", Key: byAll,
		All: "256; beyond them the request sends its code itself", Excess: Waits, Error: "none", At: []string{"auth/service.outboxSize"},
	},
	{
		What: "exchanges for App Check tokens", Key: "each network, and each IPv6 /48 and /32",
		Network: "30, and 30 a minute; a /48 eight times as many, a /32 64 times", Excess: Refuses, Error: exhausted, At: []string{"auth/appcheck.New", "auth/appcheck.exchanges"},
	},
	{
		What: "used App Check tokens that are still valid, debug tokens of an app, and keys of another service", Key: byAll,
		All: "200,000; 20; 64", Excess: Refuses, Error: exhausted, At: []string{"auth/appcheck.maxUsed", "auth/appcheck/debugtoken.maxTokens", "auth/appcheck/keyset.maxKeys"},
	},
	{
		What: "verified ID tokens, and as many App Check tokens, that are kept", Key: byAll,
		All: "10,000 and 16 MiB, of at most 8 KiB each", Excess: Displaces, Error: "none: the token is verified again",
		At: []string{"auth/token.maxKeptTokens", "auth/token.maxKeptBytes", "auth/token.maxKeptToken"},
	},
	{
		What: "accounts of one request of administrators: to delete, and of a query", Key: byRequest,
		All: "1,000 and 500", Excess: Refuses, Error: "INVALID_ARGUMENT; fewer results", At: []string{"auth/service.maxBatch", "auth/service.maxQuery"},
	},
}

// sizes has the limits of the sizes of requests.
var sizes = []Limit{
	{What: "one message of gRPC", Key: byRequest, All: "17 MiB", Excess: Refuses, Error: exhausted, At: []string{"transport/grpc.maxMessage"}},
	{What: "body of a request of REST, packed and unpacked", Key: byRequest, All: "11 MiB", Excess: Refuses, Error: invalid, At: []string{"transport/rest.maxBody"}},
	{
		What: "body of a request of the administration APIs and its values, the message of a call of gRPC, the elements of a page, the rulesets that are kept, and the test cases of a request", Key: byRequest, All: "10 MiB and 100,000, 1 MiB, 1,000, 2,500 and 500", Excess: Refuses, Error: invalid + "; " + exhausted,
		At: []string{"admin.maxBody", "admin.maxValues", "admin.maxMessage", "admin/route.maxPage", "admin/rulesapi.maxRulesets", "admin/rulesapi.maxCases"},
	},
	{
		What: "operations of the administration APIs that wait, and their bytes; one operation, its collection groups, and the fields with a configuration; databases; calls that wait for an operation, and their seconds", Key: byAll, All: "2,000 and 16 MiB; 256 KiB, 100 and 1,000; 100; 100 and 30", Excess: Refuses, Error: exhausted + "; " + invalid,
		At: []string{"admin/firestoreadmin.maxWaiting", "admin/firestoreadmin.maxWaitingBytes", "admin/firestoreadmin.maxOperation", "admin/firestoreadmin.maxGroups", "admin/firestoreadmin.maxFields", "admin/firestoreadmin.maxDatabases", "admin/firestoreadmin.maxWaits", "admin/firestoreadmin.maxWait"},
	},
	{
		What: "deployed sites: files of a version, bytes of their paths, of one path and of the configuration; unpacked bytes of a file, of a version and of all", Key: byRequest, All: "20,000, 2 MiB, 1 KiB and 256 KiB; 256 MiB, 1 GiB and 8 GiB, at nodes 1 GiB", Excess: Refuses, Error: exhausted + "; " + invalid,
		At: []string{
			"transport/hosting/versions.maxFiles", "transport/hosting/versions.maxPaths", "transport/hosting/versions.maxPath", "transport/hosting/versions.maxConfig",
			"transport/hosting/versions.maxContent", "transport/hosting/versions.maxBytes", "transport/hosting/versions.maxStored", "transport/hosting/versions.maxShared", "admin/hostingapi.maxUpload",
		},
	},
	{
		What: "deployed sites: versions without a release, channels, bytes of a release's message, and uploads at once", Key: byAll, All: "20, 30, 512 and 256", Excess: Displaces, Error: exhausted + "; " + invalid + "; UNAVAILABLE",
		At: []string{"transport/hosting/versions.maxUnreleased", "transport/hosting/versions.maxChannels", "transport/hosting/versions.maxMessage", "transport/hosting/versions.maxUploads"},
	},
	{What: "name of a file that clave deploy sends, and the values in its text", Key: byRequest, All: "4 KiB and 200,000", Excess: Refuses, Error: invalid, At: []string{"admin/deployapi.maxName", "admin/deployapi.maxValues"}},
	{What: "text of a selection of fields", Key: byRequest, All: "2,048 bytes", Excess: Refuses, Error: invalid, At: []string{"transport/rest.maxSelection"}},
	{
		What: "body of a request of WebChannel, its messages, and headers in the body", Key: byRequest, All: "36 MiB, 1,000 and 64 KiB", Excess: Refuses, Error: "413; 400",
		At: []string{"transport/webchannel.Options", "transport/webchannel.maxMaps", "transport/webchannel.maxHeaders"},
	},
	{
		What: "body of a request about accounts, its values, and its nesting", Key: byRequest, All: "1 MiB, of administrators 64 MiB; 400,000; 64", Excess: Refuses, Error: invalid,
		At: []string{"auth/api.maxBody", "auth/api.maxAdminBody", "auth/api.maxValues", "auth/api.maxNesting"},
	},
	{
		What: "stages of a pipeline, its nesting, its steps, its regular expressions and their programs, a value or row that it computes, the computed values in use at one time, and the documents that it writes", Key: byRequest, All: "200; 64; 50,000,000; 8 KiB; 131,072 instructions; 16 MiB; 64 MiB; 20,000", Excess: Refuses, Error: invalid,
		At: []string{"database/pipeline.maxStages", "database/pipeline.maxDepth", "database/pipeline.maxSteps", "database/pipeline.maxPattern", "database/pipeline.maxProgram", "database/pipeline.maxValue", "database/pipeline.maxHeld", "database/pipeline.maxWritten"},
	},
	{What: "ID token", Key: byRequest, All: "64 KiB", Excess: Refuses, Error: "UNAUTHENTICATED", At: []string{"auth/token.maxToken"}},
	{What: "body of a request to a service of a rewrite", Key: byRequest, All: "32 MiB", Excess: Refuses, Error: "413", At: []string{"transport/hosting.maxServiceBody"}},
	{What: "headers of a request", Key: byRequest, All: "64 KiB", Excess: Refuses, Error: "431", At: []string{"transport/grpc.MaxHeaders"}},
	{
		What: "bytes of HTTP/2 that were sent and not read", Key: byConnection, All: "256 KiB of one call, 4 MiB of one connection", Excess: Waits, Error: "none",
		At: []string{"transport/grpc.StreamWindow", "transport/grpc.ConnWindow"},
	},
	{What: "complete messages of a gRPC stream over net/http that wait", Key: byStream, All: "64 KiB", Excess: Waits, Error: "none", At: []string{"limit/receive.ahead"}},
	{What: "elements of X-Forwarded-For that are read", Key: byRequest, All: "64", Excess: Refuses, Error: "none: the others are ignored", At: []string{"httpx/clientaddr.maxEntries"}},
	{What: "body of a request with rules, a configuration or a trigger in development", Key: byRequest, All: "1 MiB, 1 MiB and 64 KiB", Excess: Refuses, Error: "400",
		At: []string{"suite/control.maxRulesBody", "suite/control.maxConfigBody", "suite/control.maxTriggerBody"}},
}

// times has the limits of time.
var times = []Limit{
	{What: "first byte of a connection, TLS handshake and headers", Key: byConnection, All: "10 s each", Excess: Ends, Error: closed, At: []string{"transport/port.sniffTimeout", "transport/port.New"}},
	{What: "connection without requests", Key: byConnection, All: "2 minutes", Excess: Ends, Error: closed, At: []string{"transport/grpc.IdleTime"}},
	{What: "pause in a body, and whole body", Key: byRequest, All: "30 s and 5 minutes", Excess: Ends, Error: "CANCELLED", At: []string{"transport/port.Options"}},
	{What: "first message of a stream", Key: byStream, All: "30 s", Excess: Ends, Error: "DEADLINE_EXCEEDED", At: []string{"transport/grpc.firstTime"}},
	{What: "piece of 32 KiB of a response that a client does not read", Key: byRequest, All: "30 s", Excess: Ends, Error: closed, At: []string{"transport/port.unreadTime"}},
	{What: "message of a live query that a client does not read", Key: byStream, All: "60 s", Excess: Ends, Error: exhausted, At: []string{"database/listen.Options"}},
	{
		What: "WebChannel: session without a request, back channel, and piece of a chunk that a client does not read", Key: byStream, All: "90 s, 4 minutes and 30 s", Excess: Ends, Error: "the client reconnects",
		At: []string{"transport/webchannel.Options"},
	},
	{What: "response of a service of a rewrite", Key: byRequest, All: "60 s", Excess: Ends, Error: "504", At: []string{"transport/hosting.serviceTime"}},
	{What: "wait of a request for memory", Key: byRequest, All: "3 s", Excess: Refuses, Error: unavailable, At: []string{"limit/receive.Options"}},
	{
		What: "wait of a commit with a large message for a lock, while another message waits to be parsed", Key: byRequest, All: "3 s, instead of 20 s", Excess: Ends, Error: "ABORTED",
		At: []string{"limit/quota.Quota.Pressed", "limit/parse.Pressed", "database/engine/locks.Table.wait"},
	},
	{What: "wait of a request at a follower for a leader", Key: byRequest, All: "5 s", Excess: Refuses, Error: unavailable, At: []string{"cluster/forward.Options"}},
}

// administration has the limits of operators and their programs.
var administration = []Limit{
	{
		What: "links, sessions, sign-ins, exports and undone deletions of the console", Key: byAll, All: "16, 64, 64, 64 (4 being sent) and 32", Excess: Displaces, Error: exhausted,
		At: []string{"console/session.maxLinks", "console/session.maxSessions", "console.maxSignIns", "console.maxExports", "console.maxExporting", "console.maxUndos"},
	},
	{What: "body of a request of the console, and its values", Key: byRequest, All: "8 MiB and 200,000", Excess: Refuses, Error: "400", At: []string{"console.maxBody", "console.maxValues"}},
	{What: "requests on the socket of the data folder", Key: byRequest, All: "64 KiB", Excess: Refuses, Error: "400", At: []string{"httpx/controlsocket.maxRequest"}},
	{
		What: "events that wait for the operator's services, and dead letters", Key: "each trigger", All: "1,000 and 32 MiB in memory, 10,000 and 256 MiB in the store; 10,000 and 256 MiB", Excess: Waits,
		Error: "none: commits remain in the log; the oldest dead letter is dropped",
		At:    []string{"events.maxFresh", "events.maxFreshBytes", "events.maxLate", "events.maxLateBytes", "events.maxDead", "events.maxDeadBytes"},
	},
	{What: "deliveries of a trigger at once, and answer of its service", Key: "each trigger", All: "256 and 64 KiB", Excess: Waits, Error: "none", At: []string{"events.maxParallel", "events.maxAnswer"}},
	{What: "composite indexes", Key: byDatabase, All: "1,000", Excess: Refuses, Error: exhausted, At: []string{"database/index.MaxComposites"}},
	{
		What: "back office: wrong sign-up codes, uploads of pictures, and pages that read the store at once", Key: "each network and all; each administrator; all clients",
		All: "100, and 100 an hour; 20, and 2 a minute; 32", Network: "5 in 15 minutes", Excess: Refuses, Error: "429",
		At: []string{"../backoffice.maxTries", "../backoffice.newTries", "../backoffice.allTries", "../backoffice.uploadRate", "../backoffice.New", "../backoffice/pages.maxReads"},
	},
}
