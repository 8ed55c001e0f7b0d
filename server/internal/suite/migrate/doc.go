// Package migrate moves a project from Firebase to Clave and back: it composes the imports and exports of package
// transfer, and adds what a move needs. It compares the counts and checksums of both sides by collection, reports what
// can't be moved and which composite indexes recorded queries lack, and continues a migration that was killed.
//
// A migration has three steps. The survey reads the whole source and changes nothing. The load writes what the survey
// has accepted, in the order of the source. The comparison reads the target. The journal, a file in the data folder,
// records which source it is and how many documents are written. During the load and the comparison, the marker of
// package transfer keeps servers from starting on incomplete data.
package migrate
