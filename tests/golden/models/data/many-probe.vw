green |f date:1.35 fig:1.51 grape pine
red |f cheese date:1.61 egg grape elm
green |f apple:0.34 egg:0.66 fig:1.19 grape elm
|f apple lemon
