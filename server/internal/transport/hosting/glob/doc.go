// Package glob matches paths with the globs of firebase.json, as minimatch 6 does, which Firebase's own emulator uses.
//
//   - ?  [a-z]  [!a]        characters of a segment; not a dot at its beginning
//     **                       as a segment: any number of segments, at the end at least one
//     {a,b}                    each of them, with slashes too
//     @(a|b) ?(a) *(a) +(a)    one, at most one, any number, at least one of them
//     !(a|b)                   anything for which none of them and the rest of the segment matches
//     !glob                    every path that glob does not match
//
// A pattern without a slash at its end also matches a path with one. Several slashes count as one.
//
// Time is linear in the length of a path, except for *(…) and +(…), for which it is quadratic in that of a segment.
// These match no segment of more than maxRepeated bytes.
package glob
