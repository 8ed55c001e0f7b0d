// Package picture creates the files that a site serves from an uploaded picture: WebP in several widths, and a JPEG
// for link previews. The files contain only the pixels of the upload, without its metadata such as names and places.
//
// The type of an upload is determined by its first bytes, and its size by its header, before pixels are decoded.
package picture
