package service

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/userinfo"
)

// SortField is the field by which accounts are ordered.
type SortField string

// Values lists the API's names by their numbers.
func (SortField) Values() []string {
	return []string{"SORT_BY_FIELD_UNSPECIFIED", "USER_ID", "NAME", "CREATED_AT", "LAST_LOGIN_AT", "USER_EMAIL"}
}

// Order is the direction of an order.
type Order string

// Values lists the API's names by their numbers.
func (Order) Values() []string { return []string{"ORDER_UNSPECIFIED", "ASC", "DESC"} }

// Expression is a condition on accounts.
type Expression struct {
	Email       string `json:"email"`
	UserID      string `json:"userId"`
	PhoneNumber string `json:"phoneNumber"`
}

// QueryRequest selects accounts by a condition.
type QueryRequest struct {
	ReturnUserInfo *bool        `json:"returnUserInfo"`
	Limit          *int64       `json:"limit"`
	Offset         *int64       `json:"offset"`
	SortBy         SortField    `json:"sortBy"`
	Order          Order        `json:"order"`
	TenantID       *string      `json:"tenantId"`
	Expression     []Expression `json:"expression"`
}

// QueryResponse holds the accounts that were found, or only their number.
type QueryResponse struct {
	RecordsCount string          `json:"recordsCount"`
	UserInfo     []userinfo.Info `json:"userInfo,omitempty"`
}

// maxQuery is the maximum number of accounts that a query returns.
const maxQuery = 500

// Query finds accounts. Only the first expression counts. Of its fields, the address has precedence over the phone
// number, and that over the id.
func (s *Service) Query(ctx context.Context, c Call, r *QueryRequest) (*QueryResponse, error) {
	if err := s.usableTenant(ctx, c); err != nil {
		return nil, err
	}
	limit, offset := int64(maxQuery), int64(0)
	if r.Limit != nil {
		limit = min(*r.Limit, maxQuery)
	}
	if r.Offset != nil {
		offset = *r.Offset
	}
	if limit < 0 || offset < 0 {
		return nil, apierror.New("INVALID_LIMIT_OR_OFFSET")
	}
	users, err := s.match(ctx, c, r.Expression)
	if err != nil {
		return nil, err
	}
	if !optional.Bool(r.ReturnUserInfo, true) {
		return &QueryResponse{RecordsCount: strconv.Itoa(len(users))}, nil
	}
	sortUsers(users, r.SortBy, r.Order == "DESC")
	from := min(offset, int64(len(users)))
	users = users[from:min(from+limit, int64(len(users)))]
	res := &QueryResponse{RecordsCount: strconv.Itoa(len(users))}
	for _, u := range users {
		res.UserInfo = append(res.UserInfo, c.info(u, false))
	}
	return res, nil
}

// match returns the accounts that meet the first expression.
func (s *Service) match(ctx context.Context, c Call, expressions []Expression) ([]*account.User, error) {
	var one *account.User
	var err error
	var e Expression
	if len(expressions) > 0 {
		e = expressions[0]
	}
	switch {
	case e.Email != "":
		one, err = s.accounts.ByEmail(c.scope(), e.Email)
	case e.PhoneNumber != "":
		phone, _ := field.Phone(e.PhoneNumber)
		one, err = s.accounts.ByPhone(c.scope(), phone)
	case e.UserID != "":
		one, err = s.accounts.Get(c.scope(), e.UserID)
	default:
		var all []*account.User
		err = s.accounts.List(ctx, c.scope(), "", func(u *account.User) bool {
			all = append(all, u)
			return true
		})
		return all, err
	}
	if one == nil {
		return nil, err
	}
	return []*account.User{one}, err
}

// sortUsers orders accounts. In ascending order, accounts without the field come first. Those with the same value are
// in the order of their ids, in descending order too.
func sortUsers(users []*account.User, by SortField, down bool) {
	slices.SortFunc(users, func(a, b *account.User) int {
		var c int
		switch by {
		case "NAME":
			c = strings.Compare(a.Name(), b.Name())
		case "CREATED_AT":
			c = cmp.Compare(a.Created, b.Created)
		case "LAST_LOGIN_AT":
			c = cmp.Compare(a.LastLogin, b.LastLogin)
		case "USER_EMAIL":
			c = strings.Compare(a.Email, b.Email)
		default:
			c = strings.Compare(a.UID, b.UID)
		}
		if down {
			c = -c
		}
		return cmp.Or(c, strings.Compare(a.UID, b.UID))
	})
}
