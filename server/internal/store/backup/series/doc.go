// Package series keeps the backups of one store in a target.
//
// A backup is a list of files (backups/NAME.json), named after its time, and each file's content is an object
// (objects/NAME) that all backups with this content share. Objects are written before the list that names them, never
// changed, and removed once no list names them, so a backup whose list exists is complete. With recipients, objects
// and lists of files are encrypted for them by age; sizes, times and checksums of what is stored are not, so that
// backups can be listed, verified and removed without an identity. The target belongs to the data whose identity the
// object series.json has, and one process at a time writes to it.
package series
