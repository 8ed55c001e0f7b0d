// Package bucket is a target of backups in a bucket of S3, or of a server that speaks its protocol.
package bucket

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup/target"
)

// The ways to name a bucket in requests: in the path, in the host's name, or as is usual at the endpoint.
const (
	AddressingAuto    = "auto"
	AddressingPath    = "path"
	AddressingVirtual = "virtual"
)

// Scheme begins the URL of a bucket.
const Scheme = "s3://"

// Options configure New.
type Options struct {
	// URL is s3://BUCKET or s3://BUCKET/PREFIX.
	URL string
	// Endpoint is the URL of the server; empty for that of AWS. Region is the bucket's region; empty for that which the
	// server reports.
	Endpoint, Region string
	// Addressing is one of the constants of this name; empty for AddressingAuto.
	Addressing string
	// AccessKey, SecretKey and SessionToken, which may be empty, are the credentials.
	AccessKey, SecretKey, SessionToken string
	Clock                              clock.Clock
	// Lease is the time after which the lock of a process that was killed is free; zero for a minute.
	Lease time.Duration
	// Retries is the number of attempts of a request; zero for 6, which last up to 5 seconds.
	Retries int
}

// Bucket is a target.Target. It keeps no connection that is in use, so it need not be closed.
type Bucket struct {
	o            Options
	name, prefix string
	client       *minio.Core
}

// awsEndpoint is the endpoint of AWS.
const awsEndpoint = "https://s3.amazonaws.com"

// New returns a target. It returns InvalidArgument for options that can't be right, and does not connect.
func New(o Options) (*Bucket, error) {
	if o.Lease == 0 {
		o.Lease = time.Minute
	}
	if o.Retries == 0 {
		o.Retries = 6
	}
	b := &Bucket{o: o}
	var prefix string
	b.name, prefix, _ = strings.Cut(strings.TrimPrefix(o.URL, Scheme), "/")
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		b.prefix = prefix + "/"
	}
	if err := s3utils.CheckValidBucketNameStrict(b.name); err != nil || !strings.HasPrefix(o.URL, Scheme) || strings.ContainsAny(prefix, "?#") || slices.Contains(strings.Split(prefix, "/"), "..") {
		return nil, fault.Wrap(err, fault.InvalidArgument, "%s: expected s3://BUCKET or s3://BUCKET/PREFIX", o.URL)
	}
	if o.AccessKey == "" || o.SecretKey == "" {
		return nil, fault.E(fault.InvalidArgument, "%s needs credentials: set the environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", o.URL)
	}
	endpoint := o.Endpoint
	if endpoint == "" {
		endpoint = awsEndpoint
	}
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.User != nil || strings.Trim(at.Path, "/") != "" || at.RawQuery != "" {
		return nil, fault.E(fault.InvalidArgument, "the endpoint of %s is not a URL such as https://s3.example.org", o.URL)
	}
	lookup, ok := map[string]minio.BucketLookupType{"": minio.BucketLookupAuto, AddressingAuto: minio.BucketLookupAuto, AddressingPath: minio.BucketLookupPath, AddressingVirtual: minio.BucketLookupDNS}[o.Addressing]
	if !ok {
		return nil, fault.E(fault.InvalidArgument, "the addressing %q of %s: expected auto, path or virtual", o.Addressing, o.URL)
	}
	region := o.Region
	if region == "" && o.Endpoint != "" {
		region = "us-east-1" // what servers other than AWS expect
	}
	b.client, err = minio.NewCore(at.Host, &minio.Options{
		Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, o.SessionToken), Secure: at.Scheme == "https", Transport: transport(), Region: region, BucketLookup: lookup, MaxRetries: o.Retries,
	})
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "the endpoint of %s: %v", o.URL, err)
	}
	return b, nil
}

// String implements target.Target.
func (b *Bucket) String() string { return strings.TrimSuffix(Scheme+b.name+"/"+b.prefix, "/") }

// Put implements target.Target.
func (b *Bucket) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) (tag string, err error) {
	return b.put(ctx, name, content, size, minio.PutObjectOptions{})
}

// put writes an object with options. An object is written by one request, so that nothing is left of one that fails.
func (b *Bucket) put(ctx context.Context, name string, content io.ReadSeeker, size int64, o minio.PutObjectOptions) (tag string, err error) {
	o.DisableMultipart, o.ContentType = true, "application/octet-stream"
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	info, err := b.client.Client.PutObject(ctx, b.name, b.prefix+name, content, size, o)
	if err != nil {
		return "", b.fault(ctx, "write to", err)
	}
	return info.ETag, nil
}

// Get implements target.Target.
func (b *Bucket) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	r := &reader{b: b, ctx: ctx, name: name}
	return r, r.open()
}

// List implements target.Target.
func (b *Bucket) List(ctx context.Context, prefix string) ([]target.Object, error) {
	return b.list(ctx, prefix, 0)
}

// Has implements target.Target.
func (b *Bucket) Has(ctx context.Context, prefix string) (bool, error) {
	first, err := b.list(ctx, prefix, 1)
	return len(first) > 0, err
}

// list returns the first objects whose names begin with a prefix, by one request, or all of them if most is zero.
func (b *Bucket) list(ctx context.Context, prefix string, most int) ([]target.Object, error) {
	var all []target.Object
	for o := range b.client.Client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true, MaxKeys: most}) {
		if o.Err != nil {
			return nil, b.fault(ctx, "list", o.Err)
		}
		all = append(all, target.Object{Name: strings.TrimPrefix(o.Key, b.prefix), Size: o.Size, Tag: o.ETag, Modified: o.LastModified})
		if len(all) == most {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b target.Object) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Remove implements target.Target. It removes the objects one by one: servers differ in their requests for many.
func (b *Bucket) Remove(ctx context.Context, names ...string) error {
	for _, name := range names {
		err := b.client.Client.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{})
		if err := b.fault(ctx, "remove from", err); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// refusals are the codes of S3 for credentials that are wrong or allow too little.
var refusals = []string{"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "TokenRefreshRequired", "AccountProblem", "AllAccessDisabled", "InvalidSecurity", "NotSignedUp", "UnauthorizedAccess"}

// full are the codes for a server without space.
var full = []string{"XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded", "InsufficientStorage", "InsufficientCapacity"}

// fault returns the error for an operator of a failed request. That of an absent object has fs.ErrNotExist in its
// chain, and that of a condition that does not hold is errChanged. The server's own text is not quoted: it may have
// parts of the request.
func (b *Bucket) fault(ctx context.Context, action string, err error) error {
	if err == nil || ctx.Err() != nil {
		return errors.Join(ctx.Err())
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return fault.Wrap(err, fault.Unavailable, "cannot %s %s: the server can't be reached: %v", action, b, unwrapped(err))
	}
	switch code := answer.Code; {
	case code == "NoSuchKey" || answer.StatusCode == http.StatusNotFound && code != "NoSuchBucket":
		return errors.Join(fs.ErrNotExist)
	case code == "NoSuchBucket":
		return fault.Wrap(err, fault.NotFound, "cannot %s %s: there is no bucket %q; create it", action, b, b.name)
	case code == "PreconditionFailed" || code == "ConditionalRequestConflict" || answer.StatusCode == http.StatusPreconditionFailed:
		return errChanged
	case slices.Contains(refusals, code) || answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized:
		return fault.Wrap(err, fault.PermissionDenied, "cannot %s %s: the server refuses the credentials (%s); check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the rights of the key", action, b, code)
	case slices.Contains(full, code) || answer.StatusCode == http.StatusInsufficientStorage:
		return fault.Wrap(err, fault.ResourceExhausted, "cannot %s %s: the server has no space (%s)", action, b, code)
	case strings.HasPrefix(code, "SlowDown") || answer.StatusCode == http.StatusServiceUnavailable || answer.StatusCode == http.StatusTooManyRequests:
		return fault.Wrap(err, fault.Unavailable, "cannot %s %s: the server answers that there are too many requests (%s)", action, b, code)
	default:
		return fault.Wrap(err, fault.Unavailable, "cannot %s %s: the server answers %s (status %d)", action, b, code, answer.StatusCode)
	}
}

// unwrapped returns the cause of the error of an HTTP request, whose text would repeat the request.
func unwrapped(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err
	}
	return err
}
