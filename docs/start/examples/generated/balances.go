// With the client that openapi-generator makes (docs/guides/clients.md, "Generated clients").
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	cls "github.com/cls/balances"
	"golang.org/x/oauth2"
)

func main() {
	configuration := cls.NewConfiguration()
	configuration.Servers = cls.ServerConfigurations{{URL: os.Getenv("BASE") + "/api/v1"}}
	api := cls.NewAPIClient(configuration).BalancesAPI
	token := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: os.Getenv("TOKEN")})
	ctx := context.WithValue(context.Background(), cls.ContextOAuth2, token)

	page, _, err := api.ListBalances(ctx).Level("contract").
		Expand([]string{"accrual", "terms"}).KnownAt(time.Now()).Execute()
	check(err)
	asOf := page.Meta.AsOf
	fmt.Println("as of", asOf)
	for _, item := range page.Data {
		one, _, err := api.GetBalance(ctx, item.Id).AsOf(asOf).Execute()
		check(err)
		deal, _, err := api.GetDeal(ctx, item.Deal.GetId()).Execute()
		check(err)
		outstanding := one.Data.Global.Principal.GetOutstanding()
		fmt.Println(item.Id, outstanding, deal.Data.Facilities[0].Id)
	}
	roll, _, err := api.ListPrincipalBalances(ctx).AsOf(asOf).Limit(1).Execute()
	check(err)
	series, _, err := api.ListPrincipalSeries(ctx).Interval("year").Execute()
	check(err)
	from, _ := roll.Meta.Period.GetFromOk()
	next, _ := series.Page.GetNextFromDateOk()
	fmt.Println("since", from, "next", next)
	caller, _, err := api.GetCaller(ctx).Execute()
	check(err)
	fmt.Println(caller.Data.AccountType)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
