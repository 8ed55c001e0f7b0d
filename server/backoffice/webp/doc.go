// Package webp encodes pictures as lossy WebP: one key frame of VP8 (RFC 6386) in a RIFF container. There is no well-kept
// encoder in Go without C, and golang.org/x/image decodes only (doc/decisions says what was looked at).
//
// A picture is cut into macroblocks of 16×16 pixels. Each is predicted from its left and upper neighbours as decoded
// (predict.go); what the prediction lacks is transformed, quantized (transform.go, quant.go) and written with the
// probabilities of a boolean arithmetic coder (tokens.go, bools.go). A first pass over all macroblocks chooses and
// quantizes and counts, so that the second one writes with probabilities made for this picture (frame.go).
//
// The invariant: the encoder's reconstruction is exactly the decoder's before its loop filter, since both predict from it.
// What is left out of VP8: prediction of 4×4 pixels, segments, several partitions, and transparency.
package webp
