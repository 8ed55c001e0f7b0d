package query

import (
	"errors"
	"strings"

	"clave/server/internal/base/fault"
)

// errGroupBelow is the cause of the errors of calls for collection groups below a document that need an index.
var errGroupBelow = errors.New("a collection group below a document has no index")

// CheckLive returns an error if a query can't be listened to: as in production, one over all descendants without a
// collection id can't.
func (q *Query) CheckLive() error {
	switch {
	case q.Nearest != nil:
		return fault.E(fault.InvalidArgument, "Vector queries can't be listened to.")
	case q.From[0].AllDescendants && q.From[0].Collection == "":
		return fault.E(fault.InvalidArgument, "Queries over all collections can't be listened to.")
	}
	return nil
}

// InStream returns the error with which a Listen stream refuses a query that Normalize refused with err. It differs
// from that of calls for collection groups below a document, as in the official emulator.
func InStream(err error) error {
	if errors.Is(err, errGroupBelow) {
		return errNoGroupBelow()
	}
	return err
}

// errNoGroupBelow is the error for collection groups below a document whose only order is that by name, descending.
func errNoGroupBelow() error {
	return fault.E(fault.FailedPrecondition, "collection group queries are only allowed if they're at the root or they're an ascending primary key scan")
}

// checkIndexed refuses queries that no index can serve: filters and orders by fields in queries of all collections, or
// of those of one id under a document. where is the filter as it was sent. The texts are the official emulator's. Under
// a document they are those of collection groups even if no id is given, except for the descending order by name.
func (q *Query) checkIndexed(where Filter) error {
	from := q.From[0]
	kindless, under := from.Collection == "", from.AllDescendants && q.Parent != ""
	if !kindless && !under {
		return nil
	}
	const group = "collection group queries are only allowed at the root parent"
	if name, ok := comparesField(where); ok {
		if under {
			return fault.Wrap(errGroupBelow, fault.InvalidArgument, group)
		}
		return fault.E(fault.InvalidArgument, "kind is required for filter: %s", name)
	}
	switch byName := len(q.OrderBy) == 1; {
	case byName && !q.OrderBy[0].Desc:
		return nil
	case kindless && (byName || !under):
		return fault.E(fault.InvalidArgument, "kind is required for all orders except __key__ ascending")
	case byName:
		return errNoGroupBelow()
	default:
		return fault.Wrap(errGroupBelow, fault.InvalidArgument, group)
	}
}

// comparesField returns the first field other than the document's name that a filter compares, as the texts show it. ok
// is false if there is none.
func comparesField(f Filter) (name string, ok bool) {
	switch x := f.(type) {
	case *And:
		return firstField(x.Filters)
	case *Or:
		return firstField(x.Filters)
	case Field:
		name = strings.Join(x.Path, ".")
		if x.Op == ArrayContains || x.Op == ArrayContainsAny {
			name += "[*]"
		}
		return name, !x.Path.IsName()
	case Unary:
		return strings.Join(x.Path, "."), !x.Path.IsName()
	default:
		return "", false
	}
}

// firstField is comparesField for the first of several filters that has one.
func firstField(filters []Filter) (name string, ok bool) {
	for _, f := range filters {
		if name, ok = comparesField(f); ok {
			return name, true
		}
	}
	return "", false
}
