// Package series keeps the backups of one store in a folder.
//
// Each backup is a copy of package backup, in a folder that is named after its time, and needs no other one: files that
// two backups have in common are linked. A backup is listed once it is complete. The folder belongs to the data whose
// identity its file series.json has, and one process at a time writes to it.
package series
