package console

// denialJSON is a denial without data.
type denialJSON struct {
	Time   string  `json:"time"`
	Method string  `json:"method"`
	Path   string  `json:"path"`
	Lines  []int   `json:"lines"`
	UID    *string `json:"uid"`
}

// getDenials returns the latest denials in a database, newest first, with the lines of the rules that they name.
func (c *Console) getDenials(in *call) (any, error) {
	db, err := in.database(databaseBody{})
	if err != nil {
		return nil, err
	}
	out := []denialJSON{}
	for _, d := range c.o.Rules.Denials().Latest() {
		if d.DB == db {
			out = append(out, denialJSON{timeText(d.Time), d.Method, d.Path, append([]int{}, d.Lines...), orNull(d.UID)})
		}
	}
	return map[string]any{"denials": out}, nil
}
