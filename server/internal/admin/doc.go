// Package admin serves the administration APIs of a project: Firestore Admin, over HTTP and gRPC, and over HTTP alone
// Firebase Rules and what tools ask of Resource Manager and Service Usage before a deployment. Only service accounts of
// the project may call them, and each call is recorded in the audit log.
package admin
