// Package quota bounds how many bytes of memory clients hold: all clients together, and those of one network.
//
// A Share is what one call or stream holds. It takes bytes before it uses them: Take is refused at once if there is no
// room, and Wait waits for it. A network that holds its part of a Quota is refused or waits, and the others find room
// meanwhile. Clients that wait take turns, network by network, and in each the first that came. What waits for room in
// the whole Quota is not passed by smaller requests, so large ones are served, too.
package quota
