package fair

import "context"

// Do runs work that can't be divided, such as the hashing of a password, when it is the client's turn. It returns the
// error of ctx if that ends first, and the error of Options.Full at once if too many calls of the client wait. In both
// cases work does not run.
func (q *Queue) Do(ctx context.Context, client string, work func()) error {
	t := &Turn{queue: q, client: client}
	if err := q.enter(ctx, t); err != nil {
		return err
	}
	defer q.leave(t)
	work()
	return nil
}
