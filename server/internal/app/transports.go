package app

import (
	"clave/server/internal/auth/token"
	"clave/server/internal/database/api"
	"clave/server/internal/transport/grpc"
	"clave/server/internal/transport/rest"
	"clave/server/internal/transport/webchannel"
)

// The options of the transports for clients, which are the same at a node that leads and at one that follows.

// grpcOptions returns the options of Firestore over gRPC.
func (a *App) grpcOptions(calls *api.Server, tokens *token.Verifier) grpc.Options {
	return grpc.Options{
		Firestore: calls, Tokens: tokens, ProxyHops: a.proxyHops(), Calls: a.calls, Streams: a.streams, Budget: a.budget, Parsing: a.parsing, Meter: a.counts, Log: a.o.Log,
	}
}

// restOptions returns the options of Firestore over REST.
func (a *App) restOptions(calls *api.Server, tokens token.Callers) rest.Options {
	return rest.Options{Firestore: calls, Tokens: tokens, ProxyHops: a.proxyHops(), Parsing: a.parsing, Meter: a.counts, Log: a.o.Log}
}

// channelOptions returns the options of Firestore's streams over WebChannel.
func (a *App) channelOptions(calls *api.Server, tokens token.Callers) webchannel.Options {
	return webchannel.Options{
		Firestore: calls, Tokens: tokens, ProxyHops: a.proxyHops(), Clock: a.o.Clock, MaxHeld: int(a.o.Memory.Requests), Streams: a.streams, Budget: a.budget,
		Parsing: a.parsing, Meter: a.counts, Log: a.o.Log,
	}
}
