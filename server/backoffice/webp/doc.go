// Package webp encodes pictures as lossy WebP: one key frame of VP8 (RFC 6386) in a RIFF container. There is no
// maintained encoder in Go without C, and golang.org/x/image only decodes (doc/decisions lists the alternatives).
//
// A picture is divided into macroblocks of 16×16 pixels. Each is predicted from its decoded left and upper neighbours
// (predict.go). The residual is transformed, quantized (transform.go, quant.go) and written by a boolean arithmetic
// coder (tokens.go, bools.go). A first pass over all macroblocks chooses modes, quantizes and counts tokens; the second
// one writes with the probabilities of this picture (frame.go).
//
// The invariant: the encoder's reconstruction is exactly the decoder's before its loop filter, since both predict from
// it. Not implemented of VP8: prediction of 4×4 pixels, segments, several partitions, and transparency.
package webp
