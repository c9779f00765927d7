# With the client that openapi-generator makes (docs/guides/clients.md, "Generated clients").
import os
from datetime import datetime, timezone

import cls_balances

configuration = cls_balances.Configuration(
    host=f"{os.environ['BASE']}/api/v1", access_token=os.environ["TOKEN"]
)
with cls_balances.ApiClient(configuration) as client:
    api = cls_balances.BalancesApi(client)
    now = datetime.now(timezone.utc)  # With a time zone: a time without one is refused.
    page = api.list_balances(level="contract", expand=["accrual", "terms"], known_at=now)
    print("as of", page.meta.as_of)
    for item in page.data:
        balance = api.get_balance(item.id, as_of=page.meta.as_of).data
        deal = api.get_deal(item.deal.id).data
        print(balance.id, balance.var_global.principal.outstanding, deal.facilities[0].id)
    roll = api.list_principal_balances(as_of=page.meta.as_of, limit=1)
    series = api.list_principal_series(interval="year")
    print("since", roll.meta.period.var_from, "next", series.page.next_from_date)
    print(api.get_caller().data.account_type)
