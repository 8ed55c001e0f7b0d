package engine

// SetMaxOverlay makes readings of the past hold no more than n changed documents.
func (e *Engine) SetMaxOverlay(n int) { e.maxOverlay = n }
