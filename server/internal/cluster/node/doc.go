// Package node joins this server to the nodes that share its store on PostgreSQL.
//
// A node's ports serve before it leads: they forward requests to the leader, except reads that it may serve from its
// replica. Once it leads, its ports serve the leader's handlers, and its inner listener serves the requests that other
// nodes forward and the services for nodes and commands.
package node
