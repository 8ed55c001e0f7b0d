// Package docfile writes documents as files of JSON or CSV that the console's page imports. A file is written as its
// documents arrive, so its size does not matter.
package docfile
