package console

// Route is a method of the API, for tests of all methods.
type Route struct {
	Pattern              string
	Changes, Development bool
}

// Routes returns all methods of the API.
func Routes() []Route {
	var out []Route
	for _, r := range routes {
		out = append(out, Route{r.pattern, r.changes, r.development})
	}
	return out
}
