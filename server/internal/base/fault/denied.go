package fault

// Denied returns the PERMISSION_DENIED error for a caller without permission, with production's text. Under clave start
// the error of a denied request carries rules.Decision.Denial in place of this text.
func Denied() *Error { return E(PermissionDenied, "Missing or insufficient permissions.") }
