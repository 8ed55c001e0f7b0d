// Package custommethod splits the paths of custom methods, which Google's APIs write as a resource's name, a colon
// and a verb: projects/P:restore (google.aip.dev/136).
package custommethod

import "strings"

// Cut cuts a custom method's verb off the end of a path. Only the last segment has a verb, after its last colon:
// project ids and document ids may contain colons too. verb is empty if there is none.
func Cut(path string) (name, verb string) {
	colon := strings.LastIndexByte(path, ':')
	if colon < 0 || colon < strings.LastIndexByte(path, '/') {
		return path, ""
	}
	return path[:colon], path[colon+1:]
}
