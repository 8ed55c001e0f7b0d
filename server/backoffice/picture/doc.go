// Package picture makes the files that a site serves of a picture that somebody uploaded: WebP in several widths, and a JPEG
// for link previews. Only pixels survive: names, places and other metadata of the upload do not.
//
// An upload is judged by its content: its type by its first bytes, its size by its header, before any pixel is decoded.
package picture
