blue |f apple:0.82 ice:1.24 jam:1.86 lemon:0.78
green |f date fig:0.98 honey
green |f bread date:1.46 fig:1.28 honey
green |f date:0.51 egg:1.85 honey
red |f apple:0.31 date egg:0.29 kale
red |f apple:0.82 cheese egg:1.53
red |f apple:0.96 bread cheese date:1.65
green |f egg:1.66 fig:0.54 grape:0.64 honey
green |f bread:1.60 egg:0.51 grape:1.42 honey
red |f apple:0.23 bread cheese:1.74
red |f apple cheese:0.67 egg:0.67
green |f egg:1.12 fig:1.25 honey:1.71 lemon:1.90
blue |f cheese ice:1.77 kale lemon
red |f apple cheese date:1.03 kale
red |f bread date egg fig:1.46
green |f egg fig grape:0.60 honey
green |f bread:0.35 egg grape honey:0.96
blue |f ice:0.38 jam:0.20 kale lemon:1.74
green |f date grape honey
green |f egg:1.62 fig honey kale
blue |f date ice:0.60 jam:1.24 lemon
green |f egg:0.30 fig:1.41 honey:1.36
green |f date:0.27 fig:1.01 honey
red |f bread:0.56 cheese egg:1.90 grape:0.75
red |f bread:1.83 date:0.55 egg:1.28
blue |f jam:1.39 kale:0.99 lemon
green |f apple:0.44 date fig honey
green |f date grape honey:0.36 kale
green |f date egg:1.96 grape honey
red |f bread cheese:1.91 egg:0.72 grape:1.11
