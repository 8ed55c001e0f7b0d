package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"clave/server/internal/base/fault"
)

// connectTimeout is the time limit for connecting, unless the URL sets it.
const connectTimeout = 3 * time.Second

// pingTimeout is the time limit for a connection that was not in use for a second to respond. Otherwise another one is
// used.
const pingTimeout = time.Second

// mostConns is the maximum number of connections, unless the URL sets it (pool_max_conns). A connection that breaks
// keeps its place in the pool for up to 15 s, in which its work continues on others.
const mostConns = 16

// invalidAuthorization is the code with which PostgreSQL refuses a user for another reason than the password.
const invalidAuthorization = "28000"

// protocolViolation is the code with which PgBouncer refuses a parameter of a connection.
const protocolViolation = "08P01"

// queryCanceled is the code of a statement that took longer than statement_timeout, or that was canceled.
const queryCanceled = "57014"

// connect creates the pool of connections to a server that accepts writes, and opens one to check that PostgreSQL can
// be reached. Without this condition a node would follow the log of a standby that may be behind.
func connect(ctx context.Context, url string) (*pgxpool.Pool, error) {
	return connectTo(ctx, url, pgconn.ValidateConnectTargetSessionAttrsReadWrite)
}

// connectReading is connect for programs that only read, from the servers that the URL permits.
func connectReading(ctx context.Context, url string) (*pgxpool.Pool, error) {
	return connectTo(ctx, url, nil)
}

// connectTo is connect to a server that accept permits; nil means the URL's condition.
func connectTo(ctx context.Context, url string, accept pgconn.ValidateConnectFunc) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil { // The error may quote the URL.
		return nil, fault.E(fault.InvalidArgument, "--store: not a URL of PostgreSQL; expected postgres://user:password@host:5432/database?sslmode=verify-full")
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.PingTimeout = pingTimeout
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = mostConns
	}
	if accept != nil {
		config.ConnConfig.ValidateConnect = accept
	}
	// Each statement must see the latest state, as the fence requires, whatever the server's default is.
	config.ConnConfig.RuntimeParams["default_transaction_isolation"] = "read committed"
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "clave"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, connectError(config, err)
	}
	if err := check(ctx, pool); err != nil {
		pool.Close()
		return nil, connectError(config, err)
	}
	return pool, nil
}

// oldestServer is the oldest version of PostgreSQL whose statements suffice (starts_with), as in server_version_num.
const oldestServer = 11_00_00

// check refuses a server that is too old, or that may lose acknowledged commits in a crash.
func check(ctx context.Context, pool *pgxpool.Pool) error {
	var number, version, commit string
	err := pool.QueryRow(ctx, "select current_setting('server_version_num'), current_setting('server_version'), current_setting('synchronous_commit')").
		Scan(&number, &version, &commit)
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(number); err == nil && n < oldestServer {
		return fault.E(fault.FailedPrecondition, "--store: PostgreSQL is of version %s; Clave needs %d or later.", version, oldestServer/10_000)
	}
	if commit == "off" {
		return fault.E(fault.FailedPrecondition, "--store: PostgreSQL's synchronous_commit is off, so that a crash loses acknowledged commits. Turn it on for this database or user.")
	}
	return nil
}

// connectError describes an error of connecting in our own words, because other texts could contain the password.
func connectError(config *pgxpool.Config, err error) error {
	var named *fault.Error
	if errors.As(err, &named) {
		return err
	}
	c := config.ConnConfig
	at := fmt.Sprintf("%s as %q in database %q", net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))), c.User, c.Database)
	var pgErr *pgconn.PgError
	switch {
	case errors.Is(err, context.Canceled): // the program is being stopped
		return fmt.Errorf("connect to PostgreSQL at %s: %w", at, context.Canceled)
	case errors.Is(err, pgconn.ErrReadOnlyConnection):
		return fault.E(fault.FailedPrecondition, "--store: PostgreSQL at %s is read-only. "+textReadOnly, at)
	case errors.As(err, &pgErr) && pgErr.Code == invalidAuthorization && c.TLSConfig == nil:
		// There may be no line for it in pg_hba.conf.
		return fault.E(fault.FailedPrecondition, "--store: PostgreSQL at %s refuses the user: %s (%s). If it accepts only TLS, set sslmode=verify-full in the URL.", at, pgErr.Message, pgErr.Code)
	case errors.As(err, &pgErr) && strings.HasPrefix(pgErr.Code, "28"):
		return fault.E(fault.FailedPrecondition, "--store: PostgreSQL at %s refuses the user or the password (%s). Correct the URL, PGPASSWORD or .pgpass.", at, pgErr.Code)
	case errors.As(err, &pgErr) && pgErr.Code == protocolViolation: // PgBouncer's code
		return fault.E(fault.FailedPrecondition, "--store: PostgreSQL at %s: %s (%s). If it is PgBouncer, set ignore_startup_parameters there.", at, pgErr.Message, pgErr.Code)
	case errors.As(err, &pgErr) && pgErr.Code == queryCanceled:
		// PostgreSQL reports a timeout that ends late as a request of the user.
		return fault.E(fault.FailedPrecondition, "--store: PostgreSQL at %s: %s (%s). Raise statement_timeout if it is set for this user or database.", at, pgErr.Message, pgErr.Code)
	case errors.As(err, &pgErr):
		return fault.E(fault.FailedPrecondition, "--store: PostgreSQL at %s: %s (%s)", at, pgErr.Message, pgErr.Code)
	}
	return fault.E(fault.Unavailable, "--store: PostgreSQL at %s does not respond: %s", at, reachError(err, c.Password))
}

// reachError returns the innermost text of an error of the network, without the password.
func reachError(err error, password string) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	text := err.Error()
	if password != "" {
		text = strings.ReplaceAll(text, password, "xxxxx")
	}
	return text
}
