package quota

// Waiting returns the number of requests that wait.
func (q *Quota) Waiting() int { return int(q.waiting.Load()) }

// Networks returns the number of networks that hold bytes or wait.
func (q *Quota) Networks() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.mu.networks)
}
