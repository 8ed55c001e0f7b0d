// Package transfer reads and writes exports in the format of Firestore's managed export and of the Emulator Suite, so that
// data come from Firebase and go back to it, and a development server begins with the folder that a team keeps.
//
// A folder of the Emulator Suite holds
//
//	firebase-export-metadata.json           what is in the folder
//	firestore_export/NAME.overall_export_metadata
//	firestore_export/all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata
//	firestore_export/all_namespaces/all_kinds/output-0
//	auth_export/config.json                 settings
//	auth_export/accounts[-TENANT].json      what accounts:batchGet answers
//
// and a managed export what is in firestore_export, with more kinds and outputs. Documents are entities of Datastore
// (EntityProto of googledatastore's storage_onestore_v3), each a record of a log in LevelDB's format
// (github.com/google/leveldb/blob/main/doc/log_format.md). The fields were read off exports that the official emulator made.
package transfer
