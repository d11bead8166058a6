iota | w80 w82 c1 c6
delta | w31:0.5 w32 c0:2 c6
eta | w61:0.5 c4 c0 c3
theta | w73 w70 c1 c5 c4
gamma | w20:3 w23 c0 c3 c6:0.5
beta | w13:2 w10:2 c3 c7 c0
theta | w71 w70 c4 c0
eps | w43 w41:2 c2 c0 c5
