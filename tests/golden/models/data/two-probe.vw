no 't60|food grape:0.67 bread:1.03 egg:1.73 |size n:0.7
yes |food grape fig jam:0.88 date ice |size n:0.3
|food apple apple:0.5 |none never
no |size
