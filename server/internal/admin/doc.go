// Package admin serves the administration APIs of a project over HTTP and JSON: Firestore Admin, Firebase Rules, and
// what tools ask of Resource Manager and Service Usage before a deployment. Only service accounts of the project may
// call them, and each call is recorded in the audit log.
package admin
