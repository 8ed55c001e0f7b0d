// Package transfer reads and writes exports in the formats of Firestore's managed exports and of the Emulator Suite.
// They move data from and to Firebase, and let a development server start with a folder of shared data.
//
// An export of the Emulator Suite contains
//
//	firebase-export-metadata.json           what is in the folder
//	firestore_export/NAME.overall_export_metadata
//	firestore_export/all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata
//	firestore_export/all_namespaces/all_kinds/output-0
//	auth_export/config.json                 settings
//	auth_export/accounts[-TENANT].json      what accounts:batchGet answers
//
// A managed export contains what is in firestore_export, with more kinds and outputs. Documents are entities of
// Datastore (EntityProto of googledatastore's storage_onestore_v3), each a record of a log in LevelDB's format
// (github.com/google/leveldb/blob/main/doc/log_format.md). The fields were determined from exports of the official
// emulator.
package transfer
