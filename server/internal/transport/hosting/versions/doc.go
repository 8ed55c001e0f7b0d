// Package versions keeps the deployed versions of a site in a folder or a store, and serves the released ones: the data
// behind the API of Firebase Hosting.
//
// A version is a list of paths with the SHA-256 of their gzipped content, and a configuration. A deployment creates a
// version, names its files, uploads the contents that the folder lacks, finalizes the version, which is immutable
// from then on, and releases it in a channel. The channel live is the site; the others are previews with a host of
// their own, which end at a time. A rollback releases an older version.
//
// The folder has:
//
//	files/HASH          an uploaded content, unpacked, by the SHA-256 of its packed form
//	upload-…            a content that is being uploaded; one that a killed process has left is removed at the start
//	versions/ID.json    a version with its files
//	state.json          the channels with their releases
//
// Nodes that share a store have the site in it (shared.go): by the hash of a content its parts, and the records under
// keys of their own. The node that leads changes and serves it; its folder has copies of contents that were requested.
//
// Each change replaces one file (package atomicfile) or key after what it refers to is on disk, so a killed process
// leaves the state before or after the change. A request is served from one version: the handler takes the present
// version once, and its files never change. The versions of the latest releases of each channel are kept; what no kept
// version has is removed.
package versions
