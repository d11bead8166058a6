yes |food bread:2.20 date apple |size n:0.8 big
yes 't31|food lemon jam:0.93 fig cheese a-name-of-more-than-twenty-bytes |size n:0.2
yes 1.5 |food jam:0.43 apple kale cheese grape:1.28 mango |size n:0.7
yes 1.5 't33|food bread cheese lemon date honey a-name-of-more-than-twenty-bytes |size n:0.2 big
yes |food date fig mango |size n:0.7
yes |food grape:0.33 lemon fig:0.85 ice honey a-name-of-more-than-twenty-bytes |size n:0.8
no 2.0 |food fig:2.47 honey date kale |size n:0.7
yes 2.0 't37|food cheese fig apple jam mango |size n:0.9
yes |food honey:1.16 lemon:2.06 date:0.64 |size n:0.5
no |food fig honey cheese:1.29 |size n:0.6 big
yes 't40|food apple:1.66 date lemon honey mango |size n:0.2
no 2.0 |food grape:2.07 kale:2.29 |size n:0.4
no 't42|food apple egg mango |size n:0.9
yes 1.5 |food apple date:1.38 egg ice |size n:0.9 big
no |food ice:0.58 jam:1.69 date cheese:0.41 egg |size n:0.5 big
no |food ice honey jam cheese bread:2.05 a-name-of-more-than-twenty-bytes |size n:0.3
