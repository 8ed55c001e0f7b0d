// Package stack builds the parts that serve Firestore, from the engine to the transports. A server that writes its
// store and a node that follows another one build them by the same functions, with another Role.
package stack
