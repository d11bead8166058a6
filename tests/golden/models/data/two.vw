no |food egg fig:0.78 lemon cheese jam:2.37 |size n:0.2
no |food cheese:0.96 ice kale:0.36 |size n:0.9
yes 2.0 |food kale grape ice:1.02 |size n:0.1
yes |food ice date |size n:0.3
no 't4|food egg kale lemon:1.53 |size n:0.8 big
yes 1.5 |food lemon egg:2.29 honey apple date:1.13 |size n:0.3
yes |food kale:0.90 bread:0.93 date |size n:0.7 big
no 1.5 |food kale grape:0.72 honey:1.52 bread:0.31 |size n:0.5
yes |food bread honey date:1.51 jam kale:0.96 |size n:0.6
yes |food cheese date egg grape |size n:0.8
yes 't10|food ice cheese lemon jam:0.98 honey |size n:0.7 big
no |food honey:0.43 egg:2.13 |size n:0.8 big
no 't12|food grape bread |size n:0.4
yes |food grape:0.28 apple:0.86 ice fig bread |size n:0.4 big
no 1.5 't14|food bread kale grape |size n:0.4
yes |food ice jam:2.23 cheese:1.14 lemon:0.59 kale:1.99 |size n:0.8
yes |food egg date honey |size n:0.4 big
no 't17|food bread:1.91 egg fig:2.32 honey |size n:0.8
no 0.5 |food date lemon kale ice |size n:0.1
no |food fig kale:1.79 |size n:0.2
yes 0.5 |food date:1.07 fig lemon |size n:0.5
yes |food cheese:0.72 date |size n:0.7 big
yes 't22|food date:1.70 cheese honey:1.34 apple jam |size n:0.9 big
no 0.5 |food bread:1.42 egg:1.39 |size n:0.1
yes |food lemon:2.27 apple:1.97 |size n:0.5 big
yes |food fig date apple:2.41 bread lemon |size n:0.2 big
no |food apple kale egg:0.89 lemon:1.47 bread |size n:0.2 big
yes |food lemon honey:1.87 apple kale:1.95 |size n:0.1 big
no 1.5 't28|food egg:2.04 grape bread |size n:0.3
yes |food jam cheese:0.69 date fig lemon |size n:0.8
