red |f bread date egg:1.13 ice pine
blue |f grape:0.79 ice kale lemon:0.29 pine
blue |f date jam:0.32 kale lemon pine
green |f egg fig:1.95 grape ice:1.60 oak
grey |f ash:1.44 date ice:0.87 pine
green |f date egg fig:1.33 pine
grey |f ash date egg ice:1.15 pine
grey |f apple ash:0.23 date ice oak
red |f apple:0.23 cheese:1.65 egg:1.63 honey oak
red |f apple bread:1.00 egg pine
grey |f apple ash:1.40 date:1.70 ice:0.87 pine
green |f egg:1.80 fig honey:1.48 oak
grey |f ash:0.60 cheese:0.68 date:1.17 ice:0.27 pine
red |f bread cheese:1.54 egg:1.64 kale:1.35 oak
red |f bread:0.64 date egg lemon oak
blue |f egg:1.16 honey ice:1.58 kale:1.41 oak
