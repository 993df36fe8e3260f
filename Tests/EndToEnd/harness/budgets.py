"""When budgets of the tests' clients reset."""

import datetime


def first_of_next_month_in_sao_paulo():
    zone = datetime.timezone(datetime.timedelta(hours=-3))
    today = datetime.datetime.now(zone)
    first = today.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + datetime.timedelta(days=32)).replace(day=1)
