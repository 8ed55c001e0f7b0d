// Package service implements the Identity Toolkit and Secure Token APIs of Firebase Authentication. Each method of the
// API is one method of Service. Its request and response are Go structs with the API's field names; package
// auth/api converts HTTP requests to them.
//
// A Call identifies the caller: the project, the tenant, and whether the caller is an administrator. Errors that the
// API names, such as EMAIL_EXISTS, are fault.FailedPrecondition with that text; fault.InvalidArgument is a request that
// the API's schema forbids.
//
// Where production and the official emulator differ, the package behaves like production unless Options.AsEmulator is
// set. Default settings follow Options.EmulatorSettings (server/doc/auth.md has the table). Options.Emulator enables
// what `clave start` accepts beyond production, such as sign-in with made-up credentials of identity providers.
//
// The package has the order of the steps; complete, in attempt.go, is the end of every sign-in. Decisions that do not
// depend on that order are in the packages below it, such as settings, session, factor, updateform and blocking, which
// do not import it. server/lint/imports.txt lists them.
package service
