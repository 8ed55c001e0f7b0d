// Package changelog collects the batches that a store applies, in their order and with their times, until they are
// written elsewhere.
//
// A log is a sequence of batches without a gap, known by a random id. The store numbers its operations, so a batch that
// is missing is noticed. What is collected is bounded: beyond the bound, the log ends, and a new one begins with the
// next backup. A segment is a part of a log in the form in which it is kept. The position of a log, up to which it was
// written elsewhere, is a file in the data folder, and so is what an orderly end of the program has left unwritten.
// What a killed process has left is in the store's own log, which the store reads when it is opened.
//
// The times are those at which batches were given to the store, and never go back: a batch whose time is before that of
// its predecessor, because they were applied at once or the clock was set back, gets the next microsecond.
package changelog
